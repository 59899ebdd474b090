-- Colour model of a cover; null for one that was stored before this version.
ALTER TABLE release_covers ADD COLUMN color_model TEXT;
ALTER TABLE desk_covers ADD COLUMN color_model TEXT;
