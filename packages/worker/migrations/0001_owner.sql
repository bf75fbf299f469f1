-- The owner of this instance. Sign-in links and the owner's token lead to this row; there is no other way to an account.
INSERT INTO `user` (`id`, `name`, `email`, `email_verified`) VALUES ('owner', 'Owner', 'owner@filepath.invalid', 1) ON CONFLICT DO NOTHING;
