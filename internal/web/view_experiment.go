package web

func (s *Server) experimentRoutes() {}
