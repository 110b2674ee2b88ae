package web

var plannerEndpoints = []Endpoint{}
