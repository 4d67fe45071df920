import type { CallReply } from '#contract/client.ts';
import axe from 'axe-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { applyTheme } from '../session/theme-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

type Alarm = CallReply<'listAlarms'>[number];
let network: Answerer;
let alarms: Alarm[] = [];

const anAlarm = (number: number, given: Partial<Alarm> = {}): Alarm => ({
  id: `00000000-0000-4000-8000-00000000000${number}`,
  kind: 'limit-reached',
  level: 'bot',
  target_id: null,
  title: 'Bot paused by a limit',
  what: 'Bot Night Trend: the daily loss has reached its limit (60 of 50 USDT; live).',
  advice: 'Find out why it lost, then activate the bot.',
  owner: null,
  raised_at: '2026-11-22T09:30:00.000Z',
  acknowledged_at: null,
  ...given,
});
const open = async (...given: Alarm[]) => {
  alarms = given;
  network = answerFor(aUser('admin'))
    .on('listAlarms', () => alarms)
    .on('acknowledgeAlarm', ({ path }) => {
      alarms = alarms.filter(({ id }) => !path.includes(id));
      return { status: 'Alarm acknowledged' };
    });
  startPage('/');
  return render(<TestPage path="/" search="?tab=bot_control" />);
};
beforeAll(() => page.viewport(1440, 900));
afterEach(async () => {
  await cleanup();
  network.stop();
});
const strip = () => page.getByRole('region', { name: 'Alarms' });

test('an alarm stands at the top with since when and what to do, until it is acknowledged', async () => {
  await open(anAlarm(1, { owner: 'mira@harbour.example' }));
  await expect.element(strip().getByText(/the daily loss has reached its limit/u)).toBeVisible();
  await expect
    .element(strip().getByText('Find out why it lost, then activate the bot. Since 2026-11-22 09:30:00 UTC, mira@harbour.example'))
    .toBeVisible();
  await page.getByRole('button', { name: 'Acknowledge: Bot paused by a limit' }).click();
  await expect.element(strip()).not.toBeInTheDocument();
  expect(network.of('acknowledgeAlarm')).toHaveLength(1);
});

test('what may cost money comes first; of many the rest is shown when it is asked for', async () => {
  const grave = anAlarm(5, { kind: 'unknown-order', title: 'The state of an order is unknown', what: 'order fl-7', advice: '' });
  await open(anAlarm(1), anAlarm(2), anAlarm(3), anAlarm(4), grave);
  await expect.element(strip().getByRole('listitem').first().getByText('The state of an order is unknown')).toBeVisible();
  expect(strip().getByRole('listitem').elements()).toHaveLength(3);
  await page.getByRole('button', { name: 'Show 2 more alarms' }).click();
  expect(strip().getByRole('listitem').elements()).toHaveLength(5);
});

test('alarms of one kind about one bot are one line, and are acknowledged together', async () => {
  const about = (target: number) => ({ kind: 'unprotected-position', title: 'A position has no stop', target_id: idOf(target) });
  await open(
    anAlarm(1, { ...about(1), what: 'BTC' }),
    anAlarm(2, about(1)),
    anAlarm(3, about(1)),
    anAlarm(4, { ...about(2), what: 'XRP' }),
  );
  await expect.element(strip().getByText('BTC And 2 more like it.', { exact: false })).toBeVisible();
  expect(strip().getByRole('listitem').elements()).toHaveLength(2);
  await strip().getByRole('listitem').first().getByRole('button', { name: 'Acknowledge: A position has no stop' }).click();
  await expect.poll(() => strip().getByRole('listitem').elements().length).toBe(1);
  expect(network.of('acknowledgeAlarm')).toHaveLength(3);
  await expect.element(strip().getByText('XRP', { exact: false })).toBeVisible();
});

test('one that was acknowledged is not shown; one that cannot be acknowledged stays and says so', async () => {
  await open(anAlarm(1, { acknowledged_at: '2026-11-22T09:31:00.000Z' }), anAlarm(2, { title: 'Another' }));
  network.on('acknowledgeAlarm', problem(500, 'Something went wrong.'));
  await expect.element(strip().getByText('Another')).toBeVisible();
  expect(strip().getByRole('listitem').elements()).toHaveLength(1);
  await page.getByRole('button', { name: 'Acknowledge: Another' }).click();
  await expect.element(page.getByText(/The alarm was not acknowledged\./u)).toBeVisible();
  await expect.element(strip().getByText('Another')).toBeVisible();
});

test.each([
  ['dark', 1440],
  ['light', 390],
] as const)('in the %s look it has no findings and fits at %i px', async (theme, width) => {
  await page.viewport(width, 900);
  localStorage.setItem('theme', theme);
  applyTheme();
  try {
    await open(anAlarm(1), anAlarm(2, { kind: 'difference', title: 'The account differs from the trades' }));
    await expect.element(strip().getByText('The account differs from the trades')).toBeVisible();
    const { violations } = await axe.run(strip().element(), { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
    expect(violations).toEqual([]);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
  } finally {
    await page.viewport(1440, 900);
  }
});
