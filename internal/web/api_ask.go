package web

var askEndpoints = []Endpoint{}
