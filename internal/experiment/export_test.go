package experiment

// StepsOf are the steps that a row keeps.
func StepsOf(s *Store, k Key) ([]Step, error) {
	d, err := s.detail(k)
	if err != nil {
		return nil, err
	}
	return d.steps, nil
}
