import type { CallReply } from '#contract/client.ts';
import type { Role } from '#contract/fields.ts';
import axe from 'axe-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { applyTheme } from '../session/theme-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { holdBeats, holdMoments, pass } from '../testing/held-time.ts';
import { button } from '../testing/on-page.ts';
import { aBot } from '../testing/samples/bots.ts';
import { aTradingView, setSince } from '../testing/samples/trading.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { expectToast } from '../testing/toasts.ts';

type View = CallReply<'getTradingState'>;
let network: Answerer;
/** The dashboard of a role, on a server that remembers what was set. */
const open = async (role: Role, given: Partial<View> = {}, search = '') => {
  let view = aTradingView(given);
  const server = {
    level: 'server',
    id: null,
    name: null,
    set_by: `${role}@flotilla.example`,
    ...setSince('2026-11-22T09:30:00.000Z'),
  } as const;
  network = answerFor(aUser(role))
    .on('getTradingState', () => view)
    .on('stopTrading', ({ body }) => {
      const { level, state } = body as { level: 'server' | 'user'; state: 'reducing' | 'halted' };
      view = {
        ...view,
        own: state,
        switches: [
          {
            ...server,
            level,
            id: level === 'user' ? aUser(role).userId : null,
            state,
            reason: 'person',
            may_re_arm: true,
            closing_all: null,
          },
        ],
      };
      return { state, bots: 2, open_trades: 1 };
    })
    .on('reArmTrading', () => {
      view = { ...view, own: 'active', switches: [] };
      return { state: 'active' as const, bots: 2, open_trades: 1 };
    });
  startPage('/');
  return render(<TestPage path="/" search={search} />);
};
beforeAll(() => page.viewport(1440, 900));
afterEach(async () => {
  await cleanup();
  network.stop();
});
const dialog = () => page.getByRole('dialog');
const banner = () => page.getByRole('region', { name: 'Trading is stopped' });

describe('OP-27 Stop all in the header', () => {
  test.each<[Role, Partial<View>]>([
    ['trader', {}],
    ['operator', {}],
    ['investor', {}],
  ])('stops the own bots of a %s after one confirmation, and can be re-armed', async (role, view) => {
    await open(role, view);
    await button('Stop all').click();
    await expect.element(dialog().getByText(/2 bots, 1 open trade/u)).toBeVisible();
    expect(network.of('stopTrading')).toEqual([]);
    await expectToast('Entries are stopped. 1 trade stays open and keeps its stops and exits.', () => button('Stop Entries').click());
    expect(network.of('stopTrading').map(({ body }) => body)).toEqual([{ level: 'user', state: 'reducing' }]);
    await expect.element(banner().getByText(/Your bots: entries are stopped/u)).toBeVisible();
    await expect.element(banner().getByText(/Since 2026-11-22 09:30:00 UTC/u)).toBeVisible();
    await button('Re-arm: Your bots').click();
    await dialog().getByRole('button', { name: 'Re-arm', exact: true }).click();
    await expect.element(banner()).not.toBeInTheDocument();
    expect(network.of('reArmTrading')[0]?.body).toEqual({
      level: 'user',
      id: aUser(role).userId,
      state: 'active',
      set_at: '2026-11-22T09:30:00.000Z',
    });
  });

  test('is not there for who owns no bot', async () => {
    await open('investor', { own_bots: 0 });
    await expect.element(page.getByText('Connected')).toBeVisible();
    await expect.poll(() => network.of('pulse').length).toBeGreaterThan(0);
    await expect.element(button('Stop all')).not.toBeInTheDocument();
  });

  test('offers an admin the whole server or the own bots, and a halt', async () => {
    await open('admin', { all_bots: 34, all_open_trades: 9 });
    await button('Stop all').click();
    await expect.element(page.getByRole('radio', { name: 'Whole server' })).toBeChecked();
    await expect.element(dialog().getByText(/34 bots, 9 open trades/u)).toBeVisible();
    await page.getByRole('radio', { name: 'Everything but stops' }).click();
    await button('Halt').click();
    await expect.element(banner().getByText(/Whole server: trading is halted/u)).toBeVisible();
    expect(network.of('stopTrading')[0]?.body).toEqual({ level: 'server', state: 'halted' });
  });

  test('closes the trades of the own bots alone where an admin has chosen them', async () => {
    await open('admin', { all_bots: 34, all_open_trades: 9 });
    network.on('closeAll', { state: 'halted', bots: 2, open_trades: 1 });
    await button('Stop all').click();
    await page.getByRole('radio', { name: 'Your bots' }).click();
    await page.getByRole('radio', { name: 'Everything, and all open trades are closed' }).click();
    await dialog().getByLabelText('Type CLOSE ALL').fill('CLOSE ALL');
    await dialog().getByRole('button', { name: 'Close All Trades' }).click();
    await expect.poll(() => network.of('closeAll').map(({ body }) => body)).toEqual([{ level: 'user', confirm: 'CLOSE ALL' }]);
  });

  test('does not ask again by itself where the switches could not be loaded meanwhile', async () => {
    holdBeats();
    await open('trader');
    await button('Stop all').click();
    await expect.element(dialog()).toBeVisible();
    network.on('getTradingState', problem(403, 'Not now'));
    await pass(10_000);
    await expect.element(dialog()).not.toBeInTheDocument();
    network.on('getTradingState', aTradingView());
    await pass(10_000);
    await expect.element(button('Stop all')).toBeVisible();
    await pass(1_000); // what opens by itself would be drawn by then
    expect(dialog().elements()).toEqual([]);
  });

  test('that fails says so and keeps the dialog', async () => {
    await open('trader');
    network.on('stopTrading', problem(500, 'Something went wrong. Please try again.'));
    await button('Stop all').click();
    await button('Stop Entries').click();
    await expect.element(dialog().getByText(/Trading was not stopped\. Please try again\./u)).toBeVisible();
    await expect.element(banner()).not.toBeInTheDocument();
  });

  test('is in sight at 390 px', async () => {
    await page.viewport(390, 844);
    try {
      await open('admin', { all_bots: 34, all_open_trades: 9 });
      await expect.element(button('Stop all')).toBeInViewport();
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
    } finally {
      await page.viewport(1440, 900);
    }
  });
});

test('what an administrator has stopped is shown without a way to re-arm it', async () => {
  const set = {
    level: 'server',
    id: null,
    name: null,
    set_by: null,
    ...setSince('2026-11-22T09:30:00.000Z'),
    reason: 'person',
    may_re_arm: false,
    closing_all: null,
  } as const;
  await open('trader', { own: 'halted', server: 'halted', switches: [{ ...set, state: 'halted' }] });
  await expect.element(banner().getByText(/by an administrator/u)).toBeVisible();
  await expect.element(button('Re-arm: Whole server')).not.toBeInTheDocument();
});

test('what a loss has stopped names the limit, and its owner can re-arm it', async () => {
  const set = {
    id: aUser('trader').userId,
    name: 'x',
    set_by: null,
    ...setSince('2026-11-22T09:30:00.000Z'),
    may_re_arm: true,
    closing_all: null,
  } as const;
  await open('trader', { own: 'reducing', switches: [{ ...set, level: 'user', state: 'reducing', reason: 'daily-loss' }] });
  await expect.element(banner().getByText(/by the daily loss limit/u)).toBeVisible();
  await expect.element(button('Re-arm: Your bots')).toBeVisible();
});

describe('the Kill Switch page', () => {
  const someone = {
    level: 'user',
    id: '7d0b4a54-0000-4000-8000-000000000001',
    name: 'mira@harbour.example',
    ...setSince('2026-11-21T14:22:07.000Z'),
  } as const;
  const all = { all_bots: 34, all_open_trades: 9 };

  test('shows what each step does and every switch, and presses one of a user', async () => {
    await open(
      'admin',
      {
        ...all,
        switches: [
          { ...someone, state: 'reducing', set_by: 'admin@flotilla.example', reason: 'person', may_re_arm: true, closing_all: null },
        ],
      },
      '?tab=settings&view=limits',
    );
    await expect.element(page.getByText('Bots trade as configured.')).toBeVisible();
    const table = page.getByRole('table', { name: 'Switches' });
    await expect.element(table.getByText(/34 bots/u)).toBeVisible();
    await expect.element(table.getByText(/2026-11-21 14:22:07/u)).toBeVisible();
    await expect.element(button('Reduce: mira@harbour.example')).not.toBeInTheDocument();
    await button('Halt: mira@harbour.example').click();
    await dialog().getByRole('button', { name: 'Halt', exact: true }).click();
    await expect.poll(() => network.of('stopTrading')[0]?.body).toEqual({ level: 'user', id: someone.id, state: 'halted' });
  });

  test('a question that somebody else has answered does not come back by itself once trading is re-armed', async () => {
    holdBeats();
    await open('admin', all, '?tab=settings&view=limits');
    await button('Halt all').click();
    await expect.element(dialog()).toBeVisible();
    const halted = { ...haltedByPerson, level: 'server', id: null, closing_all: null } as const;
    network.on('getTradingState', aTradingView({ ...all, own: 'halted', server: 'halted', switches: [halted] }));
    await pass(10_000);
    await expect.element(dialog()).not.toBeInTheDocument();
    await expect.element(button('Halt all')).not.toBeInTheDocument();
    network.on('getTradingState', aTradingView(all));
    await pass(10_000);
    await expect.element(button('Halt all')).toBeVisible();
    await pass(1_000); // what opens by itself would be drawn by then
    expect(dialog().elements()).toEqual([]);
  });

  test('that cannot be loaded says so and tries again', async () => {
    await open('admin', all, '?tab=settings&view=limits');
    await cleanup();
    network.on('getTradingState', problem(500, 'Something went wrong. Please try again.'));
    startPage('/');
    await render(<TestPage path="/" search="?tab=settings&view=limits" />);
    await expect.element(page.getByText('Failed to load the kill switch. Please try again.')).toBeVisible();
    const retry = button('Retry').element() as HTMLButtonElement;
    network.on('getTradingState', aTradingView(all));
    retry.click(); // at once: the page asks again by itself, too
    await expect.element(page.getByText('Bots trade as configured.')).toBeVisible();
  });
});

test('OP-27 the owner halts one bot below its settings', async () => {
  const bot = aBot(1);
  await open('admin', { all_bots: 2, all_open_trades: 0 }, `?tab=bot_control&bot=${bot.id}&view=configure`);
  await button(`Halt: Bot ${bot.nickname}`).click();
  await dialog().getByRole('button', { name: 'Halt', exact: true }).click();
  await expect.poll(() => network.of('stopTrading')[0]?.body).toEqual({ level: 'bot', id: bot.id, state: 'halted' });
});

test('a bot whose owner or server is stopped says so with its own switch', async () => {
  const bot = aBot(1);
  const set = { set_by: null, ...setSince('2026-11-22T09:30:00.000Z'), reason: 'person', may_re_arm: true, closing_all: null } as const;
  const switches = [
    { ...set, level: 'server', id: null, name: null, state: 'reducing' },
    { ...set, level: 'user', id: '7d0b4a54-0000-4000-8000-000000000001', name: 'somebody@else.example', state: 'halted' },
    { ...set, level: 'user', id: bot.user_id, name: bot.email, state: 'halted' },
  ] as const;
  await open('admin', { all_bots: 2, all_open_trades: 0, switches: [...switches] }, `?tab=bot_control&bot=${bot.id}&view=configure`);
  const panel = page.getByRole('region', { name: 'Kill Switch' });
  await expect.element(panel.getByText(/This holds for this bot too/u).first()).toBeVisible();
  expect(panel.getByText(/This holds for this bot too/u).elements()).toHaveLength(2);
  expect(panel.getByText('Bots trade as configured.').elements()).toEqual([]);
});

/** What an admin sees of the whole server. */
const all = { all_bots: 34, all_open_trades: 5 };
/** A switch that somebody has pressed, but for whose it is. */
const haltedByPerson = {
  name: null,
  state: 'halted',
  set_by: null,
  ...setSince('2026-11-22T09:30:00.000Z'),
  reason: 'person',
  may_re_arm: true,
} as const;

describe('cancelled while it is being sent', () => {
  const said = 'Cancelled: nothing more is sent. It may have been done already: check what the kill switch says.';
  const halted = { ...haltedByPerson, level: 'user', id: aUser('trader').userId, closing_all: null } as const;
  const words = () => dialog().getByLabelText('Type CLOSE ALL').fill('CLOSE ALL');
  test.each<[string, Role, Partial<View>, string, 'stopTrading' | 'closeAll' | 'reArmTrading', () => Promise<unknown>, string]>([
    ['OP-27 Stop all', 'trader', {}, '', 'stopTrading', () => button('Stop all').click(), 'Stop Entries'],
    [
      'ADD-close-all, in Stop all,',
      'trader',
      {},
      '',
      'closeAll',
      async () => {
        await button('Stop all').click();
        await page.getByRole('radio', { name: 'Everything, and all open trades are closed' }).click();
        await words();
      },
      'Close All Trades',
    ],
    [
      'ADD-close-all on the page of the kill switch',
      'admin',
      all,
      '?tab=settings&view=limits',
      'closeAll',
      async () => {
        await button('Close all').click();
        await words();
      },
      'Close All Trades',
    ],
    ['a halt', 'admin', all, '?tab=settings&view=limits', 'stopTrading', () => button('Halt all').click(), 'Halt'],
    ['Re-arm', 'trader', { own: 'halted', switches: [halted] }, '', 'reArmTrading', () => button('Re-arm: Your bots').click(), 'Re-arm'],
  ])(
    '%s sends nothing afterwards, says that it may have been done, and shows what holds',
    async (_, role, view, search, call, ask, confirm) => {
      await open(role, view, search);
      network.on(call, noAnswer);
      await ask();
      holdMoments();
      await dialog().getByRole('button', { name: confirm, exact: true }).click();
      await expect.poll(() => network.of(call).length).toBe(1);
      const seen = network.of('pulse').length;
      await expectToast(said, () => dialog().getByRole('button', { name: 'Cancel', exact: true }).click());
      await expect.element(dialog()).not.toBeInTheDocument();
      await expect.poll(() => network.of('pulse').length).toBeGreaterThan(seen);
      for (let second = 0; second < 5; second++) await pass(1000);
      expect(network.of(call)).toHaveLength(1);
    },
  );
});

test('an admin does not read that the own bots are stopped where those of somebody else are', async () => {
  const set = { set_by: null, ...setSince('2026-11-22T09:30:00.000Z'), reason: 'person', may_re_arm: true, closing_all: null } as const;
  const switches = [
    { ...set, level: 'server', id: null, name: null, state: 'reducing' },
    { ...set, level: 'user', id: '7d0b4a54-0000-4000-8000-000000000001', name: 'somebody@else.example', state: 'halted' },
  ] as const;
  await open('admin', { all_bots: 2, all_open_trades: 0, switches: [...switches] });
  await expect.element(banner().getByText(/Whole server: entries are stopped/u)).toBeVisible();
  expect(banner().getByRole('listitem').elements()).toHaveLength(1);
});

describe('ADD-close-all the last step of the kill switch', () => {
  const closing = (closed: number, open: number): NonNullable<View['switches'][number]['closing_all']> => ({
    asked_at: '2026-11-22T09:30:00.000Z',
    closed,
    open,
    waiting: Array.from({ length: Math.min(open, 1) }, () => ({
      trade_id: '7d0b4a54-0000-4000-8000-000000000009',
      nickname: 'Live Band',
      symbol: 'BTC/USDT',
      direction: 'long',
      mode: 'testnet',
      why: 'Its stop order is being cancelled first.',
    })),
  });
  const halted = { ...haltedByPerson, level: 'server', id: null } as const;

  test('is a button of the Kill Switch page that wants its exact words; then it says how far it is, and why not further', async () => {
    await open('admin', all, '?tab=settings&view=limits');
    network.on('closeAll', () => {
      network.on('getTradingState', aTradingView({ ...all, server: 'halted', switches: [{ ...halted, closing_all: closing(3, 2) }] }));
      return { state: 'halted' as const, bots: 34, open_trades: 5 };
    });
    await button('Close all').click();
    await expect.element(dialog().getByText(/Whole server \(5 open trades\): No new orders but those that close\./u)).toBeVisible();
    const confirm = dialog().getByRole('button', { name: 'Close All Trades' });
    await expect.element(confirm).toBeDisabled();
    await dialog().getByLabelText('Type CLOSE ALL').fill('close all');
    await expect.element(confirm).toBeDisabled();
    await dialog().getByLabelText('Type CLOSE ALL').fill('CLOSE ALL');
    await confirm.click();
    await expect.element(banner().getByText('3 of 5 trades closed, 2 not yet.', { exact: false })).toBeVisible();
    await expect.element(banner().getByText('Its stop order is being cancelled first.')).toBeVisible();
    await expect.element(banner().getByText('1 more trade is open.')).toBeVisible();
    await expect.element(banner().getByText(/all trades are being closed/u)).toBeVisible();
    expect(network.of('closeAll').map(({ body }) => body)).toEqual([{ level: 'server', confirm: 'CLOSE ALL' }]);
    await expect.element(button('Close all')).not.toBeInTheDocument();
    network.on('getTradingState', aTradingView({ ...all, server: 'halted', switches: [{ ...halted, closing_all: closing(5, 0) }] }));
    await expect.element(banner().getByText('All 5 trades are closed.', { exact: false })).toBeVisible();
  });

  test('is a choice of Stop all, and of one bot', async () => {
    const bot = aBot(1);
    await open('trader', {}, `?tab=bot_control&bot=${bot.id}&view=configure`);
    network.on('closeAll', { state: 'halted', bots: 2, open_trades: 1 });
    await button('Stop all').click();
    await page.getByRole('radio', { name: 'Everything, and all open trades are closed' }).click();
    await expect.element(dialog().getByRole('button', { name: 'Close All Trades' })).toBeDisabled();
    await dialog().getByLabelText('Type CLOSE ALL').fill('CLOSE ALL');
    await expectToast('Trading is halted. 1 trade is being closed.', () =>
      dialog().getByRole('button', { name: 'Close All Trades' }).click(),
    );
    await button(`Close all: Bot ${bot.nickname}`).click();
    await dialog().getByLabelText('Type CLOSE ALL').fill('CLOSE ALL');
    await dialog().getByRole('button', { name: 'Close All Trades' }).click();
    await expect
      .poll(() => network.of('closeAll').map(({ body }) => body))
      .toEqual([
        { level: 'user', confirm: 'CLOSE ALL' },
        { level: 'bot', id: bot.id, confirm: 'CLOSE ALL' },
      ]);
  });

  test('that fails says so and keeps the dialog with its words', async () => {
    await open('admin', all, '?tab=settings&view=limits');
    network.on('closeAll', problem(500, 'Something went wrong. Please try again.'));
    await button('Close all').click();
    await dialog().getByLabelText('Type CLOSE ALL').fill('CLOSE ALL');
    await dialog().getByRole('button', { name: 'Close All Trades' }).click();
    await expect.element(dialog().getByText(/Nothing was closed\./u)).toBeVisible();
    await expect.element(dialog().getByLabelText('Type CLOSE ALL')).toHaveValue('CLOSE ALL');
  });

  test.each([
    ['dark', 1440],
    ['light', 390],
  ] as const)('has no findings and fits in the %s look at %i px', async (theme, width) => {
    await page.viewport(width, 900);
    try {
      await open('admin', { ...all, server: 'halted', switches: [{ ...halted, closing_all: closing(3, 2) }] }, '?tab=settings&view=limits');
      localStorage.setItem('theme', theme);
      applyTheme();
      await expect.element(banner().getByText('Its stop order is being cancelled first.')).toBeVisible();
      const { violations } = await axe.run(document.body, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`)).toEqual([]);
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
    } finally {
      await page.viewport(1440, 900);
    }
  });
});

describe('ADD-re-arm-trading lifts what the dialog shows', () => {
  const setAgain = 'The switch was set again meanwhile. Look at what it says now.';
  const stopped = {
    level: 'server',
    id: null,
    name: null,
    state: 'reducing',
    set_by: 'one@harbour.example',
    ...setSince('2026-11-22T09:30:00.123Z'),
    reason: 'person',
    may_re_arm: true,
    closing_all: null,
  } as const;
  const closingAll = { asked_at: '2026-11-22T09:31:00.000Z', closed: 3, open: 2, waiting: [] };
  const closing: View['switches'][number] = {
    ...stopped,
    state: 'halted',
    set_by: 'other@harbour.example',
    ...setSince('2026-11-22T09:31:00.456Z'),
    closing_all: closingAll,
  };
  const viewOf = (...switches: View['switches']) => aTradingView({ all_bots: 34, all_open_trades: 5, switches });
  const press = () => dialog().getByRole('button', { name: 'Re-arm', exact: true }).click();
  const sent = () => network.of('reArmTrading').map(({ body }) => (body as { set_at: string }).set_at);
  /** As the server does it: lifted is what was seen, and nothing that was set since. */
  const guarded = (now: () => View['switches'][number]) => {
    network.on('reArmTrading', ({ body }) => {
      if ((body as { set_at: string }).set_at !== now().set_at) return problem(409, setAgain);
      network.on('getTradingState', viewOf());
      return { state: 'active' as const, bots: 34, open_trades: 5 };
    });
  };

  test('it says what is stopped, since when, and by whom', async () => {
    await open('admin', viewOf(stopped));
    await button('Re-arm: Whole server').click();
    await expect.element(dialog().getByText('Entries are stopped since 2026-11-22 09:30:00 UTC by one@harbour.example.')).toBeVisible();
    await expect.element(dialog().getByText(/CLOSE ALL/u)).not.toBeInTheDocument();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await expect.element(dialog()).not.toBeInTheDocument();
  });

  test.each([
    [2, 3, '2 of 5 trades are not closed yet. They stay open when you re-arm, unless their exit is already at the exchange.'],
    [1, 0, '1 of 1 trade is not closed yet. It stays open when you re-arm, unless its exit is already at the exchange.'],
  ])('it says that CLOSE ALL is under way with %i trades open', async (left, closed, text) => {
    await open('admin', viewOf({ ...closing, set_by: null, closing_all: { ...closingAll, open: left, closed } }));
    await button('Re-arm: Whole server').click();
    await expect.element(dialog().getByText('Trading is halted since 2026-11-22 09:31:00 UTC by a deleted account.')).toBeVisible();
    await expect.element(dialog().getByText(`CLOSE ALL is under way: ${text}`)).toBeVisible();
  });

  test('what another sets while it is open is not lifted by its press: it is shown, and lifted with the next', async () => {
    await open('admin', viewOf(stopped));
    await button('Re-arm: Whole server').click();
    guarded(() => closing);
    network.on('getTradingState', viewOf(closing));
    await press();
    await expect.element(dialog().getByText(setAgain)).toBeVisible();
    await expect.element(dialog().getByText('Trading is halted since 2026-11-22 09:31:00 UTC by other@harbour.example.')).toBeVisible();
    await expect.element(dialog().getByText(/^CLOSE ALL is under way: 2 of 5 trades/u)).toBeVisible();
    expect(sent()).toEqual([stopped.set_at]);
    await press();
    await expect.element(dialog()).not.toBeInTheDocument();
    expect(sent()).toEqual([stopped.set_at, closing.set_at]);
  });

  test('a reason that comes while it is open is not lifted by its press: it is shown, with who has stopped it and since when, and lifted with the next', async () => {
    const [one, other] = ['All bots of x: the daily loss has reached its limit.', 'All bots of x: the drawdown has reached its limit.'];
    const before = { ...stopped, behind: [one] };
    const since = { ...before, set_at: '2026-11-22T09:45:00.789Z', behind: [one, other] };
    await open('admin', viewOf(before));
    await button('Re-arm: Whole server').click();
    const by = /^Entries are stopped since 2026-11-22 09:30:00 UTC by one@harbour\.example\.$/u;
    await expect.element(dialog().getByText(one)).toBeVisible();
    await expect.element(dialog().getByText(other)).not.toBeInTheDocument();
    guarded(() => since);
    network.on('getTradingState', viewOf(since));
    await press();
    await expect.element(dialog().getByText(setAgain)).toBeVisible();
    for (const text of [by, one, other]) await expect.element(dialog().getByText(text)).toBeVisible();
    await expect.element(banner().getByText(/Since 2026-11-22 09:30:00 UTC by one@harbour\.example/u)).toBeInTheDocument();
    expect(sent()).toEqual([before.set_at]);
    await press();
    await expect.element(dialog()).not.toBeInTheDocument();
    expect(sent()).toEqual([before.set_at, since.set_at]);
  });

  test('after a refusal it is about the same bot as before', async () => {
    const [other, bot] = [aBot(1), aBot(2)];
    const ofBot = ({ id, nickname }: typeof bot, of: View['switches'][number]) => ({ ...of, level: 'bot', id, name: nickname }) as const;
    await open('admin', viewOf(ofBot(other, stopped), ofBot(bot, stopped)));
    await button(`Re-arm: Bot ${bot.nickname}`).click();
    guarded(() => closing);
    network.on('getTradingState', viewOf(ofBot(other, { ...stopped, set_by: 'third@harbour.example' }), ofBot(bot, closing)));
    await press();
    await expect.element(dialog().getByText(/^Trading is halted since 2026-11-22 09:31:00 UTC by other@harbour/u)).toBeVisible();
    await press();
    await expect.element(dialog()).not.toBeInTheDocument();
    expect(network.of('reArmTrading').map(({ body }) => (body as { id: string }).id)).toEqual([bot.id, bot.id]);
  });

  test('what the page learns while it is open does not become what is confirmed', async () => {
    await open('admin', viewOf(stopped));
    await button('Re-arm: Whole server').click();
    guarded(() => closing);
    network.on('getTradingState', viewOf(closing));
    await expect.element(banner().getByText('3 of 5 trades closed, 2 not yet.', { exact: false })).toBeInTheDocument();
    await expect.element(dialog().getByText(/^Entries are stopped since 2026-11-22 09:30:00 UTC/u)).toBeVisible();
    await press();
    await expect.element(dialog().getByText(setAgain)).toBeVisible();
    expect(sent()).toEqual([stopped.set_at]);
  });

  test('a failure without an answer of the switch keeps what was shown', async () => {
    await open('admin', viewOf(stopped));
    await button('Re-arm: Whole server').click();
    network.on('reArmTrading', problem(500, 'Something went wrong. Please try again.'));
    network.on('getTradingState', viewOf(closing));
    await press();
    await expect.element(dialog().getByText('Trading was not re-armed.')).toBeVisible();
    await expect.element(banner().getByText('3 of 5 trades closed, 2 not yet.', { exact: false })).toBeInTheDocument();
    await expect.element(dialog().getByText(/^Entries are stopped since 2026-11-22 09:30:00 UTC/u)).toBeVisible();
    guarded(() => closing);
    await press();
    await expect.element(dialog().getByText(setAgain)).toBeVisible();
    expect(sent()).toEqual([stopped.set_at, stopped.set_at]);
  });

  test('opened again it shows, and lifts, what holds by then', async () => {
    await open('admin', viewOf(stopped));
    await button('Re-arm: Whole server').click();
    network.on('reArmTrading', problem(500, 'Something went wrong. Please try again.'));
    network.on('getTradingState', viewOf(closing));
    await press();
    await expect.element(banner().getByText('3 of 5 trades closed, 2 not yet.', { exact: false })).toBeInTheDocument();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await expect.element(dialog()).not.toBeInTheDocument();
    guarded(() => closing);
    await button('Re-arm: Whole server').click();
    await expect.element(dialog().getByText(/^Trading is halted since 2026-11-22 09:31:00 UTC/u)).toBeVisible();
    await press();
    await expect.element(dialog()).not.toBeInTheDocument();
    expect(sent()).toEqual([stopped.set_at, closing.set_at]);
  });

  test('what an administrator has set meanwhile is said, also to whom it is none of theirs to lift', async () => {
    const own = { ...stopped, level: 'user', id: aUser('trader').userId, name: 'x', set_by: 'trader@flotilla.example' } as const;
    await open('trader', aTradingView({ own: 'reducing', switches: [own] }));
    await button('Re-arm: Your bots').click();
    const refusal = 'An administrator has stopped this. Only an administrator can re-arm it.';
    network.on('reArmTrading', problem(403, refusal));
    network.on(
      'getTradingState',
      aTradingView({ own: 'halted', switches: [{ ...own, state: 'halted', set_by: null, may_re_arm: false }] }),
    );
    await press();
    await expect.element(banner().getByText(/by an administrator/u)).toBeInTheDocument();
    await expect.element(dialog().getByText(refusal)).toBeVisible();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await expect.element(dialog()).not.toBeInTheDocument();
    await expect.element(button('Re-arm: Your bots')).not.toBeInTheDocument();
  });

  test.each([
    ['the switch of a bot', 'bot_control'],
    ['the Kill Switch page', 'settings'],
  ])('%s sends what it has shown', async (_, tab) => {
    const bot = aBot(1);
    const own = { ...stopped, level: 'bot', id: bot.id, name: bot.nickname } as const;
    await open('admin', viewOf(own), tab === 'settings' ? '?tab=settings&view=limits' : `?tab=bot_control&bot=${bot.id}&view=configure`);
    const region = tab === 'settings' ? page.getByRole('table', { name: 'Switches' }) : page.getByRole('region', { name: 'Kill Switch' });
    await region.getByRole('button', { name: `Re-arm: Bot ${bot.nickname}` }).click();
    await expect.element(dialog().getByText(/^Entries are stopped since 2026-11-22 09:30:00 UTC/u)).toBeVisible();
    await press();
    await expect
      .poll(() => network.of('reArmTrading').map(({ body }) => body))
      .toEqual([{ level: 'bot', id: bot.id, state: 'active', set_at: own.set_at }]);
  });

  test.each([
    ['dark', 1440],
    ['light', 390],
  ] as const)('has no findings and fits in the %s look at %i px', async (theme, width) => {
    await page.viewport(width, 900);
    try {
      await open('admin', viewOf({ ...closing, set_by: `${'long.'.repeat(12)}name@harbour.example` }));
      localStorage.setItem('theme', theme);
      applyTheme();
      await button('Re-arm: Whole server').click();
      await expect.element(dialog().getByText(/^CLOSE ALL is under way/u)).toBeVisible();
      const { violations } = await axe.run(dialog().element(), { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`)).toEqual([]);
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
    } finally {
      await page.viewport(1440, 900);
    }
  });
});
