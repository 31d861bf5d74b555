-- The index of active alarms leaves out resolved ones now. It is made again with the other indexes, after the steps.
DROP INDEX IF EXISTS idx_capture_alarms_invariant_active;
