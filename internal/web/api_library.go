package web

var libraryEndpoints = []Endpoint{}
