-- Why a delivery was stopped before it was taken or given up: `job_deleted`, `webhook_removed` or `receiver_gone`.
ALTER TABLE deliveries ADD COLUMN stop_reason TEXT;
UPDATE deliveries SET stop_reason = 'webhook_removed' WHERE state = 'failed' AND last_error = 'the webhook was removed';
UPDATE deliveries SET stop_reason = 'receiver_gone' WHERE state = 'failed' AND last_error = 'the receiver answered 410 Gone';

-- Scheme, host and port of `url`, by which attempts share the slots. NULL in rows of earlier versions, which share by `url`.
ALTER TABLE deliveries ADD COLUMN origin TEXT;
