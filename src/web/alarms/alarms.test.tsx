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
import { expectToast } from '../testing/toasts.ts';

type Alarm = CallReply<'listAlarms'>[number];
let network: Answerer;
let alarms: Alarm[] = [];
let meanwhile: (() => Alarm[]) | null = null; // what has happened when the next press arrives

const anAlarm = (number: number, given: Partial<Alarm> = {}): Alarm => ({
  id: `00000000-0000-4000-8000-00000000000${number}`,
  kind: 'limit-reached',
  level: 'bot',
  target_id: null,
  title: 'Bot paused by a limit',
  what: 'Bot Night Trend: the daily loss has reached its limit (60 of 50 USDT; live).',
  count: 1,
  advice: 'Find out why it lost, then activate the bot.',
  owner: null,
  raised_at: '2026-11-22T09:30:00.000Z',
  acknowledged_at: null,
  ...given,
});
const seenIn = (body: unknown) => (body as { seen: { id: string; count: number }[] }).seen;
/** Those that have not happened again since, as the server decides it. */
const asSeen = (body: unknown): string[] =>
  seenIn(body).flatMap(({ id, count }) => (alarms.some((each) => each.id === id && each.count === count) ? [id] : []));
const open = async (...given: Alarm[]) => {
  alarms = given;
  meanwhile = null;
  network = answerFor(aUser('admin'))
    .on('listAlarms', () => alarms)
    .on('acknowledgeAlarms', ({ body }) => {
      alarms = meanwhile?.() ?? alarms;
      meanwhile = null;
      const same = asSeen(body);
      alarms = alarms.filter(({ id }) => !same.includes(id));
      return { acknowledged: same.length, happened_since: seenIn(body).flatMap(({ id }) => (same.includes(id) ? [] : [id])) };
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
  expect(network.of('acknowledgeAlarms')).toHaveLength(1);
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
  expect(network.of('acknowledgeAlarms')).toHaveLength(1);
  await expect.element(strip().getByText('XRP', { exact: false })).toBeVisible();
});

test('alarms of two kinds about one bot are two lines, and each is acknowledged by itself', async () => {
  const difference = { kind: 'difference', title: 'The account differs from the trades', what: '0.5 BTC are missing.' };
  await open(anAlarm(1, { target_id: idOf(1) }), anAlarm(2, { ...difference, target_id: idOf(1) }));
  await expect.element(strip().getByText(difference.what, { exact: false })).toBeVisible();
  expect(strip().getByRole('listitem').elements()).toHaveLength(2);
  await page.getByRole('button', { name: 'Acknowledge: Bot paused by a limit' }).click();
  await expect.poll(() => strip().getByRole('listitem').elements().length).toBe(1);
  expect(network.of('acknowledgeAlarms').map(({ body }) => body)).toEqual([{ seen: [{ id: anAlarm(1).id, count: 1 }] }]);
  await expect.element(strip().getByText(difference.what, { exact: false })).toBeVisible();
});

test('what has happened many times is one line with how often, and each time when it is asked for', async () => {
  await open(anAlarm(1, { kind: 'unrecorded-order', title: 'An order without a record in the database', target_id: idOf(1), count: 558 }));
  network.on('listAlarmItems', [
    { what: 'order fl-558', raised_at: '2026-11-22T09:31:00.000Z' },
    { what: 'order fl-557', raised_at: '2026-11-22T09:30:00.000Z' },
  ]);
  await expect.element(strip().getByText('And 557 more like it.', { exact: false })).toBeVisible();
  expect(network.of('listAlarmItems')).toHaveLength(0);
  await page.getByRole('button', { name: /^List all \d+: An order without a record in the database$/u }).click();
  const list = page.getByRole('list', { name: 'Each of: An order without a record in the database' });
  await expect.element(list.getByText('2026-11-22 09:31:00 order fl-558')).toBeVisible();
  expect(list.getByRole('listitem').elements()).toHaveLength(2);
  await page.getByRole('button', { name: 'Hide the list: An order without a record in the database' }).click();
  await expect.element(list).not.toBeInTheDocument();
});

test('a list that is open is loaded again when it has happened once more: what is acknowledged then was shown', async () => {
  const orders = { kind: 'unrecorded-order', title: 'An order without a record in the database', target_id: idOf(1), count: 2 } as const;
  await open(anAlarm(1, orders), anAlarm(2, { title: 'Another' }));
  const item = (number: number) => ({ what: `order fl-${number}`, raised_at: '2026-11-22T09:30:00.000Z' });
  network.on('listAlarmItems', [item(2), item(1)]);
  await page.getByRole('button', { name: /^List all 2: /u }).click();
  const list = page.getByRole('list', { name: 'Each of: An order without a record in the database' });
  await expect.element(list.getByText('order fl-2', { exact: false })).toBeVisible();
  network.on('listAlarmItems', [item(3), item(2), item(1)]);
  meanwhile = () => [anAlarm(1, { ...orders, count: 3 }), anAlarm(2, { title: 'Another' })];
  await page.getByRole('button', { name: 'Acknowledge: Another' }).click();
  await expect.element(list.getByText('order fl-3', { exact: false })).toBeVisible();
});

test('all that are shown are acknowledged at once, and none that came meanwhile', async () => {
  await open(anAlarm(1), anAlarm(2), anAlarm(3), anAlarm(4), anAlarm(5, { acknowledged_at: '2026-11-22T09:31:00.000Z' }));
  await expect.element(strip().getByRole('button', { name: 'Acknowledge all' })).toBeVisible();
  network.on('acknowledgeAlarms', ({ body }) => {
    const same = asSeen(body);
    alarms = [...alarms, anAlarm(6, { title: 'Another' })].filter(({ id }) => !same.includes(id)); // raised meanwhile
    return { acknowledged: same.length, happened_since: [] };
  });
  await strip().getByRole('button', { name: 'Acknowledge all' }).click();
  await expect.element(strip().getByText('Another')).toBeVisible();
  expect(strip().getByRole('listitem').elements()).toHaveLength(1);
  expect(network.of('acknowledgeAlarms').map(({ body }) => body)).toEqual([
    { seen: [1, 2, 3, 4].map((n) => ({ id: anAlarm(n).id, count: 1 })) },
  ]);
  await expect.element(strip().getByRole('button', { name: 'Acknowledge all' })).not.toBeInTheDocument();
});

test('what has happened again since it was seen stays, and is to be looked at once more; the next press is about what is shown then', async () => {
  const orders = { kind: 'unrecorded-order', title: 'An order without a record in the database', target_id: idOf(1), count: 2 };
  const one = anAlarm(1, orders);
  await open(one);
  await expect.element(strip().getByText('And 1 more like it.', { exact: false })).toBeVisible();
  meanwhile = () => [anAlarm(1, { ...orders, count: 5 })];
  const press = () => page.getByRole('button', { name: 'Acknowledge: An order without a record in the database' }).click();
  await expectToast('What has happened again since was not acknowledged. Look at it once more.', press);
  await expect.element(strip().getByText('And 4 more like it.', { exact: false })).toBeVisible();
  await press();
  await expect.element(strip()).not.toBeInTheDocument();
  expect(network.of('acknowledgeAlarms').map(({ body }) => body)).toEqual([
    { seen: [{ id: one.id, count: 2 }] },
    { seen: [{ id: one.id, count: 5 }] },
  ]);
});

test('of all those stay that have happened again since', async () => {
  const late = { kind: 'late-fill', title: 'A late fill' } as const;
  await open(anAlarm(1), anAlarm(2, late), anAlarm(3, { ...late, title: 'Another late fill' }));
  await expect.element(strip().getByText('A late fill', { exact: true })).toBeVisible();
  meanwhile = () => [anAlarm(1), anAlarm(2, { ...late, count: 2 }), anAlarm(3, { ...late, title: 'Another late fill', count: 7 })];
  await expectToast('What has happened again since was not acknowledged. Look at it once more.', () =>
    strip().getByRole('button', { name: 'Acknowledge all' }).click(),
  );
  await expect.poll(() => strip().getByRole('listitem').elements().length).toBe(2);
  await expect.element(strip().getByText('And 6 more like it.', { exact: false })).toBeVisible();
});

test('one that was acknowledged is not shown; one that cannot be acknowledged stays and says so', async () => {
  await open(anAlarm(1, { acknowledged_at: '2026-11-22T09:31:00.000Z' }), anAlarm(2, { title: 'Another' }));
  network.on('acknowledgeAlarms', problem(500, 'Something went wrong.'));
  await expect.element(strip().getByText('Another')).toBeVisible();
  expect(strip().getByRole('listitem').elements()).toHaveLength(1);
  const press = () => page.getByRole('button', { name: 'Acknowledge: Another' }).click();
  await expectToast('The alarm was not acknowledged. Something went wrong.', press);
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
