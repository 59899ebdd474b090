-- Names of what was changed in the picture that was sent, separated by blanks; null for covers stored before.
ALTER TABLE desk_covers ADD COLUMN changes TEXT;
