import { test } from 'vitest';
import { simulate } from './testing/simulation.ts';
test('x', async () => {
  const o = await simulate(Number(process.env['DBG']), 5);
  console.log(o.faults);
});
