import axe from 'axe-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { CallReply } from '#contract/client.ts';
import { changeAddress } from '../address/address.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { expectNoFurtherTry } from '../testing/cancelled-question.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

type Lock = CallReply<'listPairLocks'>['locks'][number];

let network: Answerer;
const aLock = (changes: Partial<Lock> = {}): Lock => ({
  lock_id: idOf(800),
  level: 'bot',
  pair: 'DOGE',
  direction: null,
  reason: 'too wild at the moment',
  ends_at: null,
  set_by: 'Mara',
  set_at: '2026-11-20T00:00:00.000Z',
  may_end: true,
  ...changes,
});
const open = async (answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(answerFor(aUser('admin')));
  startPage('/');
  return render(<TestPage path="/" search={`?tab=bot_control&view=configure&bot=${idOf(101)}`} />);
};
beforeAll(() => page.viewport(1440, 1000));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const panel = () => page.getByRole('region', { name: 'Pair Locks' });
const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });

test('ADD-pair-locks without any it says so; a pair is locked with a reason, for whom and how long', async () => {
  await open((net) => net.on('addPairLock', problem(409, 'This pair is locked already')));
  await expect.element(panel().getByText('No pair is locked')).toBeVisible();
  await panel().getByRole('button', { name: 'Lock a Pair' }).click();
  const asking = dialog('Lock a Pair');
  await expect.element(asking.getByRole('button', { name: 'Lock', exact: true })).toBeDisabled();
  await asking.getByRole('textbox', { name: 'Pair or Coin' }).fill('doge/usdt');
  await asking.getByRole('textbox', { name: 'Reason' }).fill('too wild');
  await asking.getByRole('combobox', { name: 'For', exact: true }).click();
  await page.getByRole('option', { name: 'The whole server' }).click();
  await asking.getByRole('button', { name: 'Lock', exact: true }).click();
  await expect.element(asking.getByText('This pair is locked already')).toBeVisible();
  network.on('addPairLock', aLock()).on('listPairLocks', { locks: [aLock()] });
  await asking.getByRole('button', { name: 'Lock', exact: true }).click();
  await expect.element(asking).not.toBeInTheDocument();
  expect(network.of('addPairLock').at(-1)?.body).toEqual({
    level: 'server',
    pair: 'DOGE/USDT',
    direction: null,
    reason: 'too wild',
    ends_at: null,
  });
  await expect.element(panel().getByText('DOGE, all its pairs: too wild at the moment')).toBeVisible();
});

test('ADD-pair-locks a pair is locked in the direction and for as long as was chosen', async () => {
  await open((net) => net.on('addPairLock', aLock()));
  await panel().getByRole('button', { name: 'Lock a Pair' }).click();
  const asking = dialog('Lock a Pair');
  await asking.getByRole('textbox', { name: 'Pair or Coin' }).fill('DOGE');
  await asking.getByRole('textbox', { name: 'Reason' }).fill('too wild');
  const choose = async (name: string, option: string) => {
    await asking.getByRole('combobox', { name, exact: true }).click();
    await page.getByRole('option', { name: option }).click();
  };
  await choose('Direction', 'Short only');
  await choose('How Long', 'For a day');
  const before = Date.now();
  await asking.getByRole('button', { name: 'Lock', exact: true }).click();
  await expect.element(asking).not.toBeInTheDocument();
  const [body] = network.of('addPairLock').map((call) => call.body as { direction: string; ends_at: string });
  expect(body?.direction).toBe('short');
  const dayMs = 86_400_000;
  expect(Date.parse(body?.ends_at ?? '')).toBeGreaterThanOrEqual(before + dayMs);
  expect(Date.parse(body?.ends_at ?? '')).toBeLessThanOrEqual(Date.now() + dayMs);
});

test('ADD-end-pair-lock one is ended after a question; one of others cannot be', async () => {
  await open((net) =>
    net
      .on('listPairLocks', {
        locks: [
          aLock(),
          aLock({
            lock_id: idOf(801),
            pair: 'SOL/USDT',
            level: 'server',
            direction: 'short',
            ends_at: '2026-12-01T08:00:00.000Z',
            may_end: false,
          }),
        ],
      })
      .on('endPairLock', { status: 'Unlocked' }),
  );
  await expect.element(panel().getByText('the whole server, by Mara, until 2026-12-01 08:00 UTC')).toBeVisible();
  await expect.element(panel().getByRole('button', { name: 'Unlock SOL/USDT' })).not.toBeInTheDocument();
  await panel().getByRole('button', { name: 'Unlock DOGE' }).click();
  network.on('listPairLocks', { locks: [] });
  await dialog('Unlock Pair').getByRole('button', { name: 'Unlock' }).click();
  await expect.element(panel().getByText('No pair is locked')).toBeVisible();
  expect(network.of('endPairLock')).toHaveLength(1);
});

test('the pairs that one bot has locked do not stand under the next one while its own are loaded', async () => {
  await open((net) => net.on('listPairLocks', { locks: [aLock()] }));
  await expect.element(panel().getByRole('button', { name: 'Unlock DOGE' })).toBeVisible();
  const held = Promise.withResolvers<CallReply<'listPairLocks'>>();
  network.on('listPairLocks', () => held.promise);
  changeAddress({ bot: idOf(102) });
  await expect.poll(() => network.of('listPairLocks').at(-1)?.path).toBe(`/bots/${idOf(102)}/pair-locks`);
  await expect.element(panel()).toBeVisible();
  expect(panel().getByRole('button', { name: 'Unlock DOGE' }).elements()).toEqual([]);
  held.resolve({ locks: [] });
  await expect.element(panel().getByText('No pair is locked')).toBeVisible();
});

test('ADD-pair-locks a failed load is said and tried again; the panel has no findings', async () => {
  await open((net) => net.on('listPairLocks', problem(500)));
  await expect.element(panel().getByText('Failed to load the pair locks')).toBeVisible();
  network.on('listPairLocks', { locks: [aLock({ reason: 'x'.repeat(200) })] });
  await panel()
    .getByRole('button', { name: /retry|try again/iu })
    .click();
  await expect.element(panel().getByRole('button', { name: 'Unlock DOGE' })).toBeVisible();
  const { violations } = await axe.run(panel().element());
  expect(violations.map(({ id }) => id)).toEqual([]);
});

test('what is cancelled while it is sent does not go out again', async () => {
  await open((net) => net.on('listPairLocks', { locks: [aLock()] }));
  await panel().getByRole('button', { name: 'Lock a Pair' }).click();
  const locking = dialog('Lock a Pair');
  await locking.getByRole('textbox', { name: 'Pair or Coin' }).fill('SOL');
  await locking.getByRole('textbox', { name: 'Reason' }).fill('too wild');
  await expectNoFurtherTry(network, 'addPairLock', {
    confirm: () => locking.getByRole('button', { name: 'Lock', exact: true }).click(),
    cancel: () => locking.getByRole('button', { name: 'Cancel' }).click(),
    says: 'Cancelled: nothing more is sent. The pair may be locked already: check the list.',
  });
  await panel().getByRole('button', { name: 'Unlock DOGE' }).click();
  const lists = network.of('listPairLocks').length;
  await expectNoFurtherTry(network, 'endPairLock', {
    confirm: () => dialog('Unlock Pair').getByRole('button', { name: 'Unlock' }).click(),
    cancel: () => dialog('Unlock Pair').getByRole('button', { name: 'Cancel' }).click(),
    says: 'Cancelled: nothing more is sent. DOGE may be unlocked already: check the list.',
  });
  expect(network.of('listPairLocks').length).toBeGreaterThan(lists);
});
