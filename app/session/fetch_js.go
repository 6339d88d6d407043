package session

// A page's own engine has no network, and no code for it.

func (e *engines) sites(*call, *bare) (any, error) { return nil, errNoHome }

func (e *engines) fetch(*call, *bare) (any, error) { return nil, errNoHome }
