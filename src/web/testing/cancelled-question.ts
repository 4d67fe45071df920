import type { RouteName } from '#contract/routes.ts';
import { expect } from 'vitest';
import { page } from 'vitest/browser';
import type { Answerer } from './answerer.ts';
import { noAnswer } from './answerer.ts';
import { holdMoments, pass } from './held-time.ts';

/** What a person does with a question, and reads afterwards. */
export interface CancelledQuestion {
  confirm: () => Promise<void>;
  cancel: () => Promise<void>;
  says: string;
}

/** Cancels a question whose call nobody answers, and expects no further try to go out, and that to be said. */
export async function expectNoFurtherTry(network: Answerer, call: RouteName, { confirm, cancel, says }: CancelledQuestion): Promise<void> {
  network.on(call, noAnswer);
  holdMoments();
  await confirm();
  await expect.poll(() => network.of(call).length).toBe(1);
  await cancel();
  await expect.element(page.getByText(says)).toBeVisible();
  for (let second = 0; second < 5; second++) await pass(1000);
  expect(network.of(call)).toHaveLength(1);
}
