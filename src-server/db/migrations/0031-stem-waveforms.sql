-- Mean of the peaks of equal slices of a stem, percent of full scale, as JSON; null for stems stored before.
ALTER TABLE stems ADD COLUMN waveform TEXT;
