-- How a job is mastered, as one value: JSON with the names on the wire.
ALTER TABLE jobs ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
UPDATE jobs SET settings = json_object(
  'platforms', json(platforms),
  'genre', genre,
  'ai_service', ai_service,
  'tier', tier,
  'intensity', intensity,
  'loudness', loudness,
  'reference_amount', reference_amount
);
ALTER TABLE jobs DROP COLUMN platforms;
ALTER TABLE jobs DROP COLUMN genre;
ALTER TABLE jobs DROP COLUMN ai_service;
ALTER TABLE jobs DROP COLUMN tier;
ALTER TABLE jobs DROP COLUMN intensity;
ALTER TABLE jobs DROP COLUMN loudness;
ALTER TABLE jobs DROP COLUMN reference_amount;
