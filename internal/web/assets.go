package web

import "pflow/internal/web/assets"

// assetRoutes adds the scripts and the style of the page.
func (s *Server) assetRoutes() { s.mux.Handle("GET /assets/", assets.Handler()) }
