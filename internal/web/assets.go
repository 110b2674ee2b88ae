package web

// assetRoutes adds the scripts and the style of the page.
func (s *Server) assetRoutes() {}
