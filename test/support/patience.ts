/**
 * How long a test waits for what must come, in ms. Nothing is faster for a shorter one: it is only reached by a test that fails. Who
 * expects tests to fail (mutants) waits less.
 */
export const patienceMs = Number(process.env['TEST_PATIENCE_MS'] ?? 150_000);
