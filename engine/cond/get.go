package cond

// Get gives what Set last gave a name, nil if nothing did.
func (s *Scope) Get(name string) any { return s.env[name] }
