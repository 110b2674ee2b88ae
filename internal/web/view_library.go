package web

func (s *Server) libraryRoutes() {}
