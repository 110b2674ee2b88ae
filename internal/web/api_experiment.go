package web

var experimentEndpoints = []Endpoint{}
