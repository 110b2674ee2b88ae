package web

var settingsEndpoints = []Endpoint{}
