package web

func (s *Server) plannerRoutes() {}
