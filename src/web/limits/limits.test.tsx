import type { CallReply } from '#contract/client.ts';
import type { Role } from '#contract/fields.ts';
import axe from 'axe-core';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { changeAddress } from '../address/address.ts';
import { livePollMs } from '../live/use-live-status.ts';
import { applyTheme } from '../session/theme-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { holdBeats, pass } from '../testing/held-time.ts';
import { aBot } from '../testing/samples/bots.ts';
import { someLimits } from '../testing/samples/trading.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { expectToast } from '../testing/toasts.ts';
import { setDraft } from './draft-store.ts';

type Limits = CallReply<'getLimits'>;
let network: Answerer;
let limits: Limits;
const bot = aBot(1);
const ofBot = `?tab=bot_control&bot=${bot.id}&view=configure`;
const ofServer = '?tab=settings&view=limits';

/** The dashboard of a role, on a server that remembers what was set. */
const open = async (role: Role, search: string, path = '/') => {
  network = answerFor(aUser(role))
    .on('getLimits', () => limits)
    .on('changeLimits', ({ body }) => {
      const { changes } = body as { changes: { name: string; currency: string | null; value: number | null }[] };
      limits = {
        ...limits,
        limits: limits.limits.map((limit) => {
          const change = changes.find(({ name, currency }) => name === limit.name && currency === limit.currency);
          return change === undefined ? limit : { ...limit, value: change.value ?? limit.default, is_default: change.value === null };
        }),
      };
      return limits;
    });
  startPage(path);
  return render(<TestPage path={path} search={search} />);
};
const withLimit = (name: string, changes: Partial<Limits['limits'][number]>): Limits => {
  const sample = someLimits();
  return { ...sample, limits: sample.limits.map((limit) => (limit.name === name ? { ...limit, ...changes } : limit)) };
};
beforeAll(() => page.viewport(1440, 1000));
beforeEach(() => {
  limits = someLimits();
});
afterEach(async () => {
  for (const whose of [`bot ${bot.id}`, `user ${bot.user_id}`, 'server ']) setDraft(whose, {});
  await cleanup();
  network.stop();
});
const panel = () => page.getByRole('region', { name: 'Limits', exact: true });
const field = (name: string) => panel().getByRole('textbox', { name: `Limit: ${name}` });
const row = (name: string) =>
  panel()
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: new RegExp(`^${name}`, 'u') }) });

describe('the limits of a bot', () => {
  const noRate = 'Set in other currencies alone, which cannot be compared with USDT: nothing is entered.';

  test('say where nothing is entered, because one of the owner is set in other currencies alone', async () => {
    limits = withLimit('order-value', { stricter: { level: 'user', value: 1_000, has_no_rate: true } });
    await open('admin', ofBot);
    await expect.element(row('Value of one order').getByText(`All bots of the owner: ${noRate}`)).toBeVisible();
    await expect.element(field('Value of one order, USDT')).toHaveValue('300');
  });

  test('say where nothing is entered, because they are set in other currencies alone', async () => {
    limits = withLimit('order-value', { has_no_rate: true, is_default: false });
    await open('admin', ofBot);
    await expect.element(row('Value of one order').getByText(noRate)).toBeVisible();
    await expect.element(row('Value of one order').getByText('nothing is entered', { exact: true })).toBeVisible();
    await expect.element(field('Value of one order, USDT')).toHaveValue('');
  });

  test('are shown with what is used of them and what happens when they are reached', async () => {
    limits = withLimit('order-value', { stricter: { level: 'user', value: 120, has_no_rate: false } });
    await open('admin', ofBot);
    await expect.element(field('Value of one order, USDT')).toHaveValue('300');
    await expect.element(row('Value of one order').getByText('$120.00 of $300.00')).toBeVisible();
    await expect
      .element(row('Value of one order').getByText('All bots of the owner: $120.00 is stricter and holds here too.'))
      .toBeVisible();
    await expect.element(row('Distance from mid price').getByText('checked at each entry')).toBeVisible();
    await expect.element(field('Drawdown in total')).toHaveValue('80');
    await expect.element(row('Drawdown in total').getByText('5.84% of 80.00%')).toBeVisible();
    await expect.element(row('Loss per day').getByText('pauses the bot until it is activated')).toBeVisible();
    await expect.element(page.getByText(/^Values without a note are defaults\. They follow from stake, slots and leverage/u)).toBeVisible();
    await expect.element(row('Leverage').getByText('default')).not.toBeInTheDocument();
    expect(network.of('getLimits')[0]?.query).toEqual({ level: 'bot', id: bot.id });
  });

  test('are changed together, in one call; raising says that it needs the password', async () => {
    await open('admin', ofBot);
    await field('Drawdown in total').fill('30.5');
    const bar = page.getByRole('region', { name: 'Pending changes' });
    await expect.element(bar.getByText('80.00%')).toBeVisible();
    await expect.element(bar.getByText('Raising a limit needs your password and is recorded.')).not.toBeInTheDocument();
    await field('Value of one order, USDT').fill('400');
    await expect.element(bar.getByText('Raising a limit needs your password and is recorded.')).toBeVisible();
    await expectToast('Limits saved!', () => bar.getByRole('button', { name: 'Save Changes' }).click());
    expect(network.of('changeLimits').map(({ body }) => body)).toEqual([
      {
        level: 'bot',
        id: bot.id,
        changes: [
          { name: 'order-value', currency: 'USDT', value: 400 },
          { name: 'drawdown', currency: null, value: 0.305 },
        ],
      },
    ]);
    await expect.element(bar).not.toBeInTheDocument();
    await expect.element(field('Drawdown in total')).toHaveValue('30.5');
  });

  test('a comma is read as the decimal point, and not passed over', async () => {
    await open('admin', ofBot);
    await field('Drawdown in total').fill('12,5');
    await expect.element(field('Drawdown in total')).toHaveValue('12.5');
  });

  test('what one person has entered is not there for the next', async () => {
    await open('admin', ofBot);
    await field('Leverage').fill('2');
    await expect.element(page.getByRole('region', { name: 'Pending changes' })).toBeVisible();
    await cleanup();
    network.stop();
    await open('admin', ofBot);
    await expect.element(field('Leverage')).toHaveValue('3');
  });

  test('an empty field goes back to the default, and what makes no sense is not sent', async () => {
    limits = withLimit('open-orders', {
      value: 4,
      is_default: false,
      set_by: 'admin@flotilla.example',
      set_at: '2026-11-22T09:30:00.000Z',
    });
    await open('admin', ofBot);
    await expect.element(row('Open orders').getByText(/set by admin@flotilla\.example 2026-11-22 09:30:00; default 10/u)).toBeVisible();
    const save = page.getByRole('button', { name: 'Save Changes' });
    for (const [text, issue] of [
      ['2.5', 'Enter a whole number.'],
      ['0', 'Between 1 and 100000.'],
      ['-', 'Enter a number.'],
    ] as const) {
      await field('Open orders').fill(text);
      await expect.element(row('Open orders').getByText(issue)).toBeVisible();
      await save.click();
    }
    expect(network.of('changeLimits')).toEqual([]);
    await field('Open orders').clear();
    await save.click();
    await expect.poll(() => network.of('changeLimits')[0]?.body).toMatchObject({ changes: [{ name: 'open-orders', value: null }] });
  });

  test('that an administrator has set are not raised by the owner', async () => {
    limits = withLimit('daily-loss', { value: 50, is_default: false, may_raise: false });
    const own = { ...aBot(1), user_id: aUser('trader').userId };
    await open('trader', ofBot);
    expect(own.user_id).toBe(bot.user_id);
    await field('Loss per day (UTC), USDT').fill('60');
    await expect.element(row('Loss per day').getByText('An administrator has set this limit.')).toBeVisible();
    await field('Loss per day (UTC), USDT').fill('40');
    await expect.element(row('Loss per day').getByText('An administrator has set this limit.')).not.toBeInTheDocument();
  });

  test('below what an administrator has set are the owner’s, and say how far they go', async () => {
    limits = withLimit('daily-loss', { value: 40, is_default: false, ceiling: 50, default: 50, set_by: 'trader@flotilla.example' });
    await open('trader', ofBot);
    await expect
      .element(row('Loss per day').getByText(/set by trader@flotilla\.example; at most \$50\.00; default \$50\.00/u))
      .toBeVisible();
  });

  test('that were not saved stay entered, with the reason', async () => {
    await open('admin', ofBot);
    network.on('changeLimits', problem(500, 'Something went wrong. Please try again.'));
    await field('Leverage').fill('2');
    await page.getByRole('button', { name: 'Save Changes' }).click();
    await expect.element(page.getByText('The limits were not saved.')).toBeVisible();
    await expect.element(field('Leverage')).toHaveValue('2');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.element(field('Leverage')).toHaveValue('3');
  });

  test('that were not saved say so for themselves alone, not for those of all bots of the owner', async () => {
    const failed = page.getByText('The limits were not saved.');
    await open('admin', ofBot);
    network
      .on('getLimits', ({ query }) => (query['level'] === 'user' ? { ...limits, level: 'user' as const, id: bot.user_id } : limits))
      .on('changeLimits', problem(409, 'An administrator has set this limit.'));
    await field('Leverage').fill('2');
    await page.getByRole('button', { name: 'Save Changes' }).click();
    await expect.element(failed).toBeVisible();
    await panel().getByText('All your bots', { exact: true }).click();
    await expect.poll(() => network.of('getLimits').at(-1)?.query).toEqual({ level: 'user', id: bot.user_id });
    await expect.element(field('Leverage')).toHaveValue('3');
    await field('Leverage').fill('1');
    await expect.element(page.getByRole('region', { name: 'Pending changes' })).toBeVisible();
    expect(failed.elements()).toEqual([]);
    await panel().getByText('This bot', { exact: true }).click();
    await expect.element(field('Leverage')).toHaveValue('2');
    await expect.element(failed).toBeVisible();
  });

  test('that were saved stay when an answer that was asked for before comes late', async () => {
    holdBeats();
    await open('admin', ofBot);
    await field('Leverage').fill('2');
    const before = limits;
    const late = Promise.withResolvers<Limits>();
    let isAnswered = false;
    network.on('getLimits', async () => {
      const answer = await late.promise;
      isAnswered = true;
      return answer;
    });
    const asked = network.of('getLimits').length;
    await expect
      .poll(async () => {
        await pass(livePollMs);
        return network.of('getLimits').length;
      })
      .toBeGreaterThan(asked);
    await expectToast('Limits saved!', () => page.getByRole('button', { name: 'Save Changes' }).click());
    await expect.element(field('Leverage')).toHaveValue('2');
    late.resolve(before);
    await expect.poll(() => isAnswered).toBe(true);
    await pass(0);
    await expect.element(field('Leverage')).toHaveValue('2');
  });

  test('that were typed after a look at another page, while others were being saved, stay', async () => {
    await open('admin', ofBot);
    const saved = Promise.withResolvers<Limits>();
    network.on('changeLimits', () => saved.promise);
    await field('Leverage').fill('2');
    await page.getByRole('button', { name: 'Save Changes' }).click();
    await expect.poll(() => network.of('changeLimits').length).toBe(1);
    changeAddress({ tab: 'reports', view: null });
    await expect.element(panel()).not.toBeInTheDocument();
    changeAddress({ tab: 'bot_control', view: 'configure' });
    await field('Drawdown in total').fill('30');
    await expectToast('Limits saved!', async () => saved.resolve(withLimit('leverage', { value: 2, is_default: false })));
    await expect.element(row('Leverage').getByText(/default 3x/u)).toBeVisible();
    await expect.element(field('Drawdown in total')).toHaveValue('30');
    await expect.element(field('Leverage')).toHaveValue('2');
    const bar = page.getByRole('region', { name: 'Pending changes' });
    await expect.element(bar.getByText('Drawdown in total')).toBeVisible();
    await expect.element(bar.getByText('Leverage')).not.toBeInTheDocument();
  });

  test('of the next bot are not those of the one before while they are loaded', async () => {
    const next = aBot(2);
    await open('admin', ofBot);
    await expect.element(field('Leverage')).toHaveValue('3');
    const held = Promise.withResolvers<Limits>();
    network.on('getLimits', () => held.promise);
    changeAddress({ bot: next.id });
    await expect.poll(() => network.of('getLimits').at(-1)?.query).toEqual({ level: 'bot', id: next.id });
    await expect.element(page.getByText('Loading limits')).toBeInTheDocument();
    await expect.element(field('Leverage')).not.toBeInTheDocument();
    held.resolve({ ...withLimit('leverage', { value: 5 }), id: next.id });
    await expect.element(field('Leverage')).toHaveValue('5');
  });

  test('that cannot be loaded say so and are loaded again', async () => {
    await open('admin', '');
    await cleanup();
    network.on('getLimits', problem(500, 'Something went wrong. Please try again.'));
    startPage('/');
    await render(<TestPage path="/" search={ofServer} />);
    await expect.element(page.getByText('Failed to load the limits. Please try again.')).toBeVisible();
    const retry = panel().getByRole('button', { name: 'Retry' }).element() as HTMLButtonElement;
    network.on('getLimits', () => limits);
    retry.click(); // at once: the page asks again by itself, too
    await expect.element(field('Leverage')).toBeVisible();
  });

  test('of amounts that no bot is counted in are no zero', async () => {
    limits = withLimit('daily-loss', { value: 0, default: 0, use: 0 });
    await open('admin', ofBot);
    await expect.element(row('Loss per day').getByText('no bot trades at an exchange in USDT')).toBeVisible();
    await expect.element(field('Loss per day (UTC), USDT')).toHaveValue('');
  });

  test('in two currencies are changed one by one', async () => {
    const amounts = limits.limits.filter(({ name }) => name === 'daily-loss');
    const inBitcoins = amounts.map((limit) => ({ ...limit, currency: 'BTC', value: 0.01, default: 0.01 }));
    limits = { ...limits, limits: [...limits.limits, ...inBitcoins] };
    await open('admin', ofBot);
    await field('Loss per day (UTC), USDT').fill('100');
    await expect.element(field('Loss per day (UTC), BTC')).toHaveValue('0.01');
    await expectToast('Limits saved!', () => page.getByRole('button', { name: 'Save Changes' }).click());
    expect(network.of('changeLimits').map(({ body }) => body)).toEqual([
      { level: 'bot', id: bot.id, changes: [{ name: 'daily-loss', currency: 'USDT', value: 100 }] },
    ]);
  });

  test('beside those of all bots of its owner', async () => {
    await open('admin', ofBot);
    await expect.element(field('Leverage')).toBeVisible();
    await panel()
      .getByText(/^All (your bots|bots of the owner)$/u)
      .click();
    await expect.poll(() => network.of('getLimits').at(-1)?.query).toEqual({ level: 'user', id: bot.user_id });
  });
});

describe.each(['dark', 'light'] as const)('in the %s look the limits of the server', (theme) => {
  test.each([1440, 390])('have no findings and fit at %i px', async (width) => {
    await page.viewport(width, 900);
    localStorage.setItem('theme', theme);
    applyTheme();
    try {
      const sample = withLimit('leverage', { use: 3 });
      limits = { ...sample, level: 'server', id: null, name: null, mode: null };
      await open('admin', ofServer);
      await expect.element(row('Value of all positions').getByText('$250.00 of $300.00')).toBeVisible();
      await field('Leverage').fill('5');
      await expect.element(page.getByRole('region', { name: 'Pending changes' })).toBeVisible();
      const { violations } = await axe.run(document.body, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      });
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)).toEqual([]);
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
    } finally {
      await page.viewport(1440, 1000);
    }
  });
});
