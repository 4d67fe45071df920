import type { CallReply } from '#contract/client.ts';
import type { Role } from '#contract/fields.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import { changeAddress } from '../address/address.ts';
import { noteAnswer, noteFailure } from '../api/connection.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { expectToGoAfter, holdMoments, pass } from '../testing/held-time.ts';
import { button, says } from '../testing/on-page.ts';
import { expectNoFurtherTry } from '../testing/cancelled-question.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aStrategy } from '../testing/samples/strategies.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { expectToast } from '../testing/toasts.ts';
import { discardDraft } from './draft-store.ts';
import { savedMs } from '../ui/use-saved.ts';

type Strategy = ReturnType<typeof aStrategy>;
type Version = CallReply<'listStrategyVersions'>[number];

const performance: CallReply<'strategyPerformance'> = {
  total_pnl: -65.694,
  sharpe_ratio: 1.416,
  win_rate: 0.4837,
  total_trades: 157,
  winning_trades: 76,
  losing_trades: 80,
  max_drawdown: 184.2,
  daily_pnl: [
    { date: '2026-11-18', pnl: 36.6 },
    { date: '2026-11-19', pnl: -35.7 },
    { date: '2026-11-20', pnl: 4 },
  ],
};
const botOf = (number: number, changes: Partial<CallReply<'strategyBots'>['bots'][number]> = {}) => ({
  id: idOf(100 + number),
  nickname: `Bot ${number}`,
  status: 'active' as const,
  mode: 'paper' as const,
  exchange_id: 'sandbox',
  trading_pairs: ['BTC/USDT'],
  ...changes,
});
const aVersion = (version: number, changes: Partial<Version> = {}): Version => ({
  version,
  changed_at: '2026-11-20T00:00:00.000Z',
  changed_by: 'admin@flotilla.example',
  changes: [{ field: 'stoploss', from: '-0.1', to: '-0.025' }],
  trades: 4,
  pnl: 12.3,
  ...changes,
});

let network: Answerer;
const answered = (net: Answerer, strategies: Strategy[]): Answerer =>
  net
    .on('listStrategies', { strategies })
    .on('strategyPerformance', performance)
    .on('strategyBots', { bots: [botOf(1), botOf(2, { mode: 'live', status: 'paused' })] })
    .on('listStrategyVersions', []);
const open = async (strategies: Strategy[], role: Role = 'admin', answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(answered(answerFor(aUser(role)), strategies));
  startPage('/');
  await render(<TestPage path="/" search="?tab=strategy" />);
  await expect.element(page.getByRole('tab', { name: 'Strategy' })).toHaveAttribute('aria-selected', 'true');
};
/** Answers a change as the server does. */
const changing = (net: Answerer, from: Strategy, reply?: Strategy): Answerer => {
  let strategy = from;
  return net
    .on('listStrategies', () => ({ strategies: [strategy] }))
    .on('updateStrategy', ({ body }) => {
      strategy = { ...strategy, ...(body as Partial<Strategy>), version: strategy.version + 1 };
      return reply ?? strategy;
    });
};
beforeAll(() => page.viewport(1440, 1000));
beforeEach(discardDraft);
afterEach(async () => {
  vi.restoreAllMocks();
  await cleanup();
  network.stop();
});

const never = (text: string) => expect.element(page.getByText(text, { exact: true })).not.toBeInTheDocument();
const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const box = (name: string) => page.getByRole('combobox', { name, exact: true });
const pending = () => page.getByRole('region', { name: 'Pending changes' });
const panel = (name: string) => page.getByRole('region', { name, exact: true });
const dialog = (name: string) => page.getByRole('dialog', { name });
const choose = async (name: string, option: string) => {
  await box(name).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};
const flip = (name: string) => page.getByRole('switch', { name, exact: true }).click();
const sent = () => network.of('updateStrategy').map(({ body }) => body);
const type = async (name: string, text: string) => {
  await field(name).fill(text);
  await userEvent.tab();
};
const sections = [
  'Strategy Information',
  'Trading Parameters',
  'ROI Configuration',
  'Order Types Configuration',
  'Order Time in Force Configuration',
  'External Integrations',
  'Strategy Performance',
];

describe('the screen', () => {
  test('STRAT-01, STRAT-02, STRAT-04, OP-53, OP-56, OP-57, DATA-14, DATA-19, VALID-12, VALID-20 shows the first strategy in seven sections', async () => {
    await open([
      aStrategy(1, { name: 'EMA cross', risk_reward_ratio: 1.5, stoploss: -0.05, encrypted_sheets_key: 'sheet-key' }),
      aStrategy(2),
    ]);
    await expect.element(box('Strategy')).toHaveValue('EMA cross');
    for (const name of sections) await expect.element(panel(name)).toBeVisible();
    for (const [name, value] of [
      ['Name', 'EMA cross'],
      ['Strategy Class Name', 'EmaCross'],
      ['Description', 'Follows the trend.'],
      ['Supported Exchanges', 'sandbox, binance'],
      ['Stop Loss', '5.00'],
      ['Max Consecutive Losses', '5'],
      ['Risk Reward Ratio', '1.50'], // VALID-20
      ['Minutes of entry 1', '0'],
      ['ROI of entry 1', '0.0200'],
    ] as const) {
      await expect.element(field(name)).toHaveValue(value);
    }
    await expect.element(field('Strategy Class Name')).toHaveAttribute('readonly');
    await expect.element(box('Action of order type 2')).toHaveValue('exit');
    await expect.element(box('Value of time in force 1')).toHaveValue('GTC');
    await expect.element(button('Save Changes')).not.toBeInTheDocument();
    await box('Strategy').click();
    await expect.element(page.getByRole('option', { name: 'Strategy 2' })).toBeVisible();
  });

  test('rules have no class name that people know them by', async () => {
    await open([aStrategy(1, { name: 'Mine', kind: 'rules', strategy_class_name: 'Rules_1' })]);
    await expect.element(field('Name')).toHaveValue('Mine');
    await expect.element(field('Strategy Class Name')).not.toBeInTheDocument();
  });

  test('STRAT-03 says that the strategies are loading', async () => {
    let answer: (reply: CallReply<'listStrategies'>) => void = () => {};
    await open([], 'trader', (net) => net.on('listStrategies', () => new Promise((resolve) => (answer = resolve))));
    await says('Loading strategies...');
    await expect.poll(() => network.of('listStrategies').length).toBe(1);
    answer({ strategies: [aStrategy(1)] });
    await expect.element(field('Name')).toHaveValue('Strategy 1');
    await never('Loading strategies...');
  });

  test('ERR-11 strategies that do not load are logged only, and can be asked for again', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    await open([], 'admin', (net) => net.on('listStrategies', problem(403, 'Account is closed')));
    await says('No strategies to show');
    expect(log.mock.calls.flat()).toContain('Failed to load strategies:');
    expect(page.getByRole('alert').elements()).toEqual([]);
    network.on('listStrategies', { strategies: [aStrategy(1)] });
    await button('Try Again').click();
    await expect.element(field('Name')).toHaveValue('Strategy 1');
  });

  test.each(['trader', 'operator', 'investor'] as const)(
    'STRAT-07, STRAT-08, STRAT-15, ROLE-06 is read only for the role %s',
    async (role) => {
      await open([aStrategy(1, { trailing_stop: true })], role);
      await says('View Only: Only admins can modify strategy configurations.');
      for (const name of [
        'Name',
        'Description',
        'Supported Exchanges',
        'Default Timeframe',
        'Stop Loss',
        'Trailing Stop Positive',
        'Webhook',
        'ROI of entry 1',
        'Value of order type 1',
      ]) {
        await expect.element(field(name)).toHaveAttribute('readonly');
      }
      for (const name of ['Trailing Stop', 'Trail only after offset']) {
        await expect.element(page.getByRole('switch', { name, exact: true })).toBeDisabled();
      }
      await says('On. Moves the stop with the price');
      for (const name of ['Save Changes', 'Add Entry', 'Send Test Message', 'Show Webhook'])
        await expect.element(button(name)).not.toBeInTheDocument();
      await expect.element(panel('History')).not.toBeInTheDocument();
      expect(network.of('listStrategyVersions')).toEqual([]);
    },
  );

  test('has no view-only note for admins', async () => {
    await open([aStrategy(1)]);
    await expect.element(field('Name')).not.toHaveAttribute('readonly');
    await never('View Only: Only admins can modify strategy configurations.');
  });

  test('STRAT-14, STRAT-18 another strategy drops the pending edits and shows its own values', async () => {
    await open([aStrategy(1), aStrategy(2, { stoploss: -0.2 })]);
    await type('Stop Loss', '3');
    await expect.element(pending()).toBeVisible();
    await choose('Strategy', 'Strategy 2');
    await expect.element(field('Stop Loss')).toHaveValue('20.00');
    await expect.element(pending()).not.toBeInTheDocument();
    await choose('Strategy', 'Strategy 1');
    await expect.element(field('Stop Loss')).toHaveValue('10.00');
    await expect.element(pending()).not.toBeInTheDocument();
  });

  test('a thousand strategies are searched in the selector; long words stay inside 390 px', async () => {
    await page.viewport(390, 844);
    const many = Array.from({ length: 1000 }, (_, i) => aStrategy(i, { name: `${'long'.repeat(25)} ${i}`, description: 'd'.repeat(2000) }));
    await open(many);
    await expect.element(field('Name')).toHaveValue(many[0]?.name);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
    await box('Strategy').fill(' 999');
    await page.getByRole('option').click();
    await expect.element(field('Name')).toHaveValue(many[999]?.name);
    await page.viewport(1440, 1000);
  });
});

describe('saving', () => {
  test('STRAT-05, STRAT-06, STRAT-15, STRAT-17, STRAT-19, STRAT-21 sends what changed with the version, and says so for 3 seconds', async () => {
    await open([], 'admin', (net) => changing(net, aStrategy(1, { version: 7 }), aStrategy(1, { name: 'not used' })));
    await type('Stop Loss', '2,5');
    await expect.element(field('Stop Loss')).toHaveValue('2.50');
    await says('was 10.00%');
    await type('Supported Exchanges', 'sandbox , okx');
    await expect.element(pending().getByText('2 pending changes')).toBeVisible();
    await expect.element(pending().getByText('reaches 2 bots, 1 live at the next decision')).toBeVisible();
    expect(sent()).toEqual([]);
    const topOf = () => panel('Strategy Information').element().getBoundingClientRect().top + document.documentElement.scrollTop;
    const top = topOf();
    holdMoments();
    await button('Save Changes').click();
    const banner = page.getByText('Strategy updated successfully!');
    await expect.element(banner).toBeVisible();
    expect(topOf()).toBe(top); // nothing jumps
    expect(sent()).toEqual([{ stoploss: -0.025, supported_exchanges: ['sandbox', 'okx'] }]);
    expect(network.of('updateStrategy')[0]?.headers.get('If-Match')).toBe('"7"');
    await expect.element(pending()).not.toBeInTheDocument();
    await expect.element(field('Name')).toHaveValue('Strategy 1');
    await expect.element(field('Stop Loss')).toHaveValue('2.50');
    expect(savedMs.strategy).toBe(3000);
    await expectToGoAfter(savedMs.strategy, banner);
  });

  test('STRAT-21 what was saved is shown also where the strategies cannot be loaded again', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    await open([], 'admin', (net) => changing(net, aStrategy(1, { version: 7 })));
    await type('Stop Loss', '2.5');
    const asked = network.of('listStrategies').length;
    network.on('listStrategies', problem(429, 'Too many requests. Please try again later.'));
    await button('Save Changes').click();
    await expect.element(page.getByText('Strategy updated successfully!')).toBeVisible();
    expect(network.of('listStrategies').length).toBeGreaterThan(asked);
    await expect.element(field('Stop Loss')).toHaveValue('2.50');
    await type('Stop Loss', '3');
    await button('Save Changes').click();
    await expect.poll(() => network.of('updateStrategy').at(-1)?.headers.get('If-Match')).toBe('"8"');
  });

  test('STRAT-16, STRAT-15 a value that is typed back leaves nothing to save', async () => {
    await open([aStrategy(1)]);
    await type('Stop Loss', '2');
    await expect.element(button('Save Changes')).toBeVisible();
    await type('Stop Loss', '10');
    await expect.element(button('Save Changes')).not.toBeInTheDocument();
  });

  test('ERR-12, OP-52 that fails keeps what was typed, shows no banner and is logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    await open([aStrategy(1)], 'admin', (net) => net.on('updateStrategy', problem(400, 'Exchange not found: nowhere')));
    await type('Supported Exchanges', 'nowhere');
    await button('Save Changes').click();
    await expect.element(pending().getByText('Exchange not found: nowhere')).toBeVisible();
    await never('Strategy updated successfully!');
    await expect.element(field('Supported Exchanges')).toHaveValue('nowhere');
    await expect.element(button('Save Changes')).toBeEnabled();
    expect(log.mock.calls.flat()).toContain('Failed to save strategy:');
  });

  test('of a strategy that somebody else has changed keeps what was typed and loads the newest values', async () => {
    holdMoments(2000);
    vi.spyOn(console, 'error').mockImplementation(() => {});
    await open([aStrategy(1)], 'admin', (net) =>
      net.on('updateStrategy', problem(409, 'The settings were changed by somebody else. Reload and try again.')),
    );
    await type('Stop Loss', '3');
    await button('Save Changes').click();
    await says('The settings were changed by somebody else. Reload and try again.');
    await expect.poll(() => network.of('listStrategyVersions').length).toBe(2); // the history shows by whom
    changing(network, aStrategy(1, { version: 4, name: 'Renamed', stoploss: -0.2 }));
    await button('Load Newest Values').click();
    await expect.element(field('Name')).toHaveValue('Renamed');
    await expect.element(field('Stop Loss')).toHaveValue('3.00');
    await says('was 20.00%');
    await button('Save Changes').click();
    await says('Strategy updated successfully!');
    expect(sent().at(-1)).toEqual({ stoploss: -0.03 });
    expect(network.of('updateStrategy').at(-1)?.headers.get('If-Match')).toBe('"4"');
  });

  test('is not tried with a fault, which stands at its field', async () => {
    holdMoments(2000);
    await open([], 'admin', (net) => changing(net, aStrategy(1)));
    await type('Risk Reward Ratio', '0.05');
    await button('Save Changes').click();
    await says('Risk reward ratio must be at least 0.1'); // VALID-19
    await expect.element(pending().getByText('Risk Reward Ratio: Risk reward ratio must be at least 0.1')).toBeVisible();
    expect(sent()).toEqual([]);
    await type('Risk Reward Ratio', '2');
    await button('Save Changes').click();
    await says('Strategy updated successfully!');
    expect(sent()).toEqual([{ risk_reward_ratio: 2 }]);
  });

  test('locks the form while it is under way; Discard gives the stored values back', async () => {
    holdMoments(2000);
    let answer: (reply: Strategy) => void = () => {};
    await open([aStrategy(1)], 'admin', (net) => net.on('updateStrategy', () => new Promise((resolve) => (answer = resolve))));
    await type('Name', 'Other');
    await button('Discard').click();
    await expect.element(field('Name')).toHaveValue('Strategy 1');
    await type('Name', 'Another');
    await button('Save Changes').click();
    await expect.element(button('Saving...')).toBeDisabled();
    await expect.element(field('Name')).toBeDisabled();
    answer(aStrategy(1));
    await says('Strategy updated successfully!');
    await expect.element(field('Name')).toBeEnabled();
  });

  test('that is answered late drops nothing that is typed about another strategy', async () => {
    const [first, second] = [aStrategy(1), aStrategy(2)];
    const saved = Promise.withResolvers<Strategy>();
    await open([first, second], 'admin', (net) => net.on('updateStrategy', () => saved.promise));
    await type('Max Consecutive Losses', '7');
    await button('Save Changes').click();
    await expect.poll(() => sent().length).toBe(1);
    changeAddress({ tab: 'reports' });
    await expect.element(field('Name')).not.toBeInTheDocument();
    changeAddress({ tab: 'strategy', strategy: second.id });
    await expect.element(field('Name')).toHaveValue('Strategy 2');
    await type('Max Consecutive Losses', '9');
    const lists = network.of('listStrategies').length;
    saved.resolve({ ...first, max_consecutive_losses: 7, version: first.version + 1 });
    await expect.poll(() => network.of('listStrategies').length).toBeGreaterThan(lists);
    await pass(0); // what follows the list
    await expect.element(field('Max Consecutive Losses')).toHaveValue('9');
    await expect.element(pending()).toBeVisible();
  });

  test('waits while another tab is shown: what was typed is still there', async () => {
    await open([aStrategy(1)]);
    await type('Name', 'Other');
    await page.getByRole('tab', { name: 'Status' }).click();
    await page.getByRole('tab', { name: 'Strategy' }).click();
    await expect.element(field('Name')).toHaveValue('Other');
    await expect.element(pending()).toBeVisible();
  });
});

describe('the fields', () => {
  test('STRAT-11, DATA-18, VALID-14 those of the trailing stop appear only while it is on', async () => {
    holdMoments(2000);
    await open([], 'admin', (net) => changing(net, aStrategy(1)));
    const names = ['Trailing Stop Positive', 'Trailing Stop Positive Offset'];
    for (const name of names) await expect.element(field(name)).not.toBeInTheDocument();
    await expect.element(page.getByRole('switch', { name: 'Trail only after offset' })).not.toBeInTheDocument();
    await flip('Trailing Stop');
    await type('Trailing Stop Positive', '0.6');
    await type('Trailing Stop Positive Offset', '1,2');
    await flip('Trail only after offset');
    await button('Save Changes').click();
    await says('Strategy updated successfully!');
    expect(sent()).toEqual([
      {
        trailing_stop: true,
        trailing_stop_positive: 0.006,
        trailing_stop_positive_offset: 0.012,
        trailing_only_offset_is_reached: true,
      },
    ]);
    await flip('Trailing Stop');
    for (const name of names) await expect.element(field(name)).not.toBeInTheDocument();
  });

  test('VALID-15, VALID-16, VALID-17 losses in a row are clamped when the field is left', async () => {
    await open([aStrategy(1, { max_consecutive_losses: 7 })]);
    await says('Number between 1 and 10');
    for (const [typed, shown] of [
      ['99', '10'],
      ['0', '1'],
      ['many', '5'],
      ['', '5'],
    ] as const) {
      await type('Max Consecutive Losses', typed);
      await expect.element(field('Max Consecutive Losses')).toHaveValue(shown);
    }
  });

  test('VALID-29 the timeframes', async () => {
    await open([aStrategy(1)]);
    await box('Default Timeframe').click();
    await expect
      .poll(() =>
        page
          .getByRole('option')
          .elements()
          .map((each) => each.textContent),
      )
      .toEqual(['1m', '3m', '5m', '15m', '30m', '1h', '4h', '1d']);
  });

  test('STRAT-22, STRAT-23, STRAT-24, VALID-21, VALID-22, VALID-23, VALID-24 ROI entries are added, changed and removed', async () => {
    holdMoments(2000);
    await open([], 'admin', (net) => changing(net, aStrategy(1)));
    await says('Page 1 of 1');
    for (const name of ['Previous', 'Next']) await expect.element(button(name)).toBeDisabled();
    await expect.element(button('Remove ROI entry 1')).not.toBeInTheDocument();
    await button('Add Entry').click();
    await type('Minutes of entry 2', '1a440');
    await type('ROI of entry 2', '0,01');
    await expect.element(field('Minutes of entry 2')).toHaveValue('1440');
    await expect.element(field('ROI of entry 2')).toHaveValue('0.0100');
    await says('closes at 1% profit after 1d 0h');
    await button('Add Entry').click();
    await expect.element(button('Add Entry')).toBeDisabled();
    await button('Save Changes').click();
    await says('Invalid ROI entry');
    await button('Remove ROI entry 3').click();
    await button('Remove ROI entry 1').click();
    await button('Save Changes').click();
    await says('Strategy updated successfully!');
    expect(sent()).toEqual([{ minimal_roi: { '1440': 0.01 } }]);
  });

  test.each(['.', ','])('VALID-22, VALID-23 a ROI of %s stays when it is left, is refused by Save, and can be mended', async (typed) => {
    holdMoments(2000);
    await open([], 'admin', (net) => changing(net, aStrategy(1)));
    const ratio = field('ROI of entry 1');
    await type('ROI of entry 1', typed);
    await expect.element(ratio).toHaveValue('.');
    await button('Save Changes').click();
    await says('Invalid ROI entry');
    await ratio.click();
    await userEvent.keyboard('{End}5');
    await expect.element(ratio).toHaveValue('.5');
    await button('Save Changes').click();
    await says('Strategy updated successfully!');
    await expect.element(ratio).toHaveValue('0.5000');
    expect(sent()).toEqual([{ minimal_roi: { '0': 0.5 } }]);
  });

  test('STRAT-28, VALID-25, VALID-26, VALID-27, VALID-28 order types and times in force', async () => {
    holdMoments(2000);
    await open([], 'admin', (net) => changing(net, aStrategy(1)));
    const options = async (name: string) => {
      await box(name).click();
      const texts = page
        .getByRole('option')
        .elements()
        .map((each) => each.textContent);
      await userEvent.keyboard('{Escape}');
      return texts;
    };
    expect(await options('Action of order type 1')).toEqual(['entry', 'exit', 'stoploss', 'stoploss_on_exchange']);
    expect(await options('Value of order type 1')).toEqual(['limit', 'market']);
    expect(await options('Action of time in force 1')).toEqual(['entry', 'exit']);
    expect(await options('Value of time in force 1')).toEqual(['GTC', 'IOC', 'FOK']);
    await button('Add Row: order type').click();
    await expect.element(button('Save Changes')).not.toBeInTheDocument(); // a blank row is nothing
    await choose('Action of order type 3', 'stoploss');
    await expect.element(button('Save Changes')).not.toBeInTheDocument();
    await choose('Value of order type 3', 'market');
    await button('Add Row: time in force').click();
    await choose('Action of time in force 2', 'exit');
    await choose('Value of time in force 2', 'IOC');
    await button('Save Changes').click();
    await says('Strategy updated successfully!');
    expect(sent()).toEqual([
      { order_types: { entry: 'limit', exit: 'limit', stoploss: 'market' }, order_time_in_force: { entry: 'GTC', exit: 'IOC' } },
    ]);
  });

  test('STRAT-12, STRAT-13, DATA-20 webhook and key are masked until they are shown', async () => {
    await open([aStrategy(1, { encrypted_webhook: 'https://chat.example/hook', encrypted_sheets_key: 'sheet' })]);
    for (const [name, value] of [
      ['Webhook', 'https://chat.example/hook'],
      ['Sheets Key', 'sheet'],
    ] as const) {
      const input = page.getByLabelText(name, { exact: true });
      await expect.element(input).toHaveAttribute('type', 'password');
      await button(`Show ${name}`).click();
      await expect.element(input).toHaveAttribute('type', 'text');
      await expect.element(input).toHaveValue(value);
      await button(`Hide ${name}`).click();
      await expect.element(input).toHaveAttribute('type', 'password');
    }
  });

  test('a test message says how it went', async () => {
    const encrypted_webhook = 'https://chat.example/hook';
    const at = '2026-11-21T06:45:02.000Z';
    let answer: (reply: CallReply<'testWebhook'>) => void = () => {};
    await open([aStrategy(1, { encrypted_webhook })], 'admin', (net) =>
      net.on('testWebhook', () => new Promise((resolve) => (answer = resolve))),
    );
    await says('No message was sent yet');
    await button('Send Test Message').click();
    await expect.element(button('Sending...')).toBeDisabled();
    network.on('listStrategies', { strategies: [aStrategy(1, { encrypted_webhook, webhook_result: { at, error: null } })] });
    answer({ error: null });
    await says('Last message delivered 2026-11-21 06:45:02 UTC');
    const error = 'The chat answered 404.';
    network
      .on('testWebhook', { error })
      .on('listStrategies', { strategies: [aStrategy(1, { encrypted_webhook, webhook_result: { at, error } })] });
    await button('Send Test Message').click();
    await says(`Last message failed 2026-11-21 06:45:02 UTC: ${error}`);
    network.on('testWebhook', problem(429, 'Too many requests. Please try again later.'));
    await button('Send Test Message').click();
    await says('Too many requests. Please try again later.');
    await page.getByLabelText('Webhook', { exact: true }).fill('https://chat.example/other');
    await expect.element(button('Send Test Message')).toBeDisabled(); // it would go to the old one
  });

  test('OP-58 a test row says how it went, and whom the spreadsheet is shared with', async () => {
    const sheets = { encrypted_sheets_key: 'sheet', sheet_account: 'rows@flotilla-1.iam.gserviceaccount.com' };
    const at = '2026-11-21T06:45:02.000Z';
    await open([aStrategy(1, sheets)], 'admin', (net) => net.on('testSheet', { error: null }));
    await says('No row was sent yet');
    await says(/^Share the spreadsheet with rows@flotilla-1\.iam\.gserviceaccount\.com as editor\.$/u);
    network.on('listStrategies', { strategies: [aStrategy(1, { ...sheets, sheet_result: { at, error: null } })] });
    await button('Send Test Row').click();
    await says('Last row written 2026-11-21 06:45:02 UTC');
    const error = 'There is no spreadsheet with this key.';
    network.on('testSheet', { error }).on('listStrategies', { strategies: [aStrategy(1, { ...sheets, sheet_result: { at, error } })] });
    await button('Send Test Row').click();
    await says(`Last row failed 2026-11-21 06:45:02 UTC: ${error}`);
    expect(network.of('testSheet').map(({ path }) => path)).toEqual(
      Array.from({ length: 2 }, () => `/strategies/${aStrategy(1).id}/test-sheet`),
    );
    await page.getByLabelText('Sheets Key', { exact: true }).fill('another');
    await expect.element(button('Send Test Row')).toBeDisabled(); // it would go to the old one
  });

  test('OP-58 without a key no row can be tried', async () => {
    await open([aStrategy(1, { sheet_account: 'rows@flotilla-1.iam.gserviceaccount.com' })]);
    await says('No sheets key is set');
    await expect.element(button('Send Test Row')).toBeDisabled();
  });

  test('OP-58 where the server has no access it says that no rows are written', async () => {
    await open([aStrategy(1, { encrypted_sheets_key: 'sheet' })]);
    await says('Rows are not written: this server has no access to Google spreadsheets.');
    await expect.element(button('Send Test Row')).not.toBeInTheDocument();
  });

  test('OP-58 who is not an admin sees neither tests nor the account', async () => {
    await open([aStrategy(1)], 'trader');
    await says('Address of a Google spreadsheet, or its key');
    await never('Rows are not written: this server has no access to Google spreadsheets.');
    await expect.element(button('Send Test Message')).not.toBeInTheDocument();
  });
});

describe('beside the form', () => {
  test('STRAT-09, STRAT-10, STRAT-30, OP-67, DATA-21 stands how the trades went', async () => {
    await open([aStrategy(1)]);
    const figures = panel('Strategy Performance');
    for (const text of ['-$65.69', '1.42', '48.4%', '157', '76', '80', '$184.20', '+$36.60', '-$35.70']) {
      await expect.element(figures.getByText(text, { exact: true })).toBeVisible();
    }
    await expect.element(page.getByRole('figure', { name: 'Daily PNL, 3 days' })).toBeVisible();
    await says('2026-11-18 to 2026-11-20, UTC');
  });

  test('STRAT-09, DATA-21 stand the figures of one mode by its name, and those of another when it is chosen', async () => {
    const note = 'Amounts in other currencies than dollars are not added.';
    const other = { ...performance, mode: 'paper', total_pnl: 410.5, leaves_out: true } as const;
    await open([aStrategy(1)], 'trader', (net) => net.on('strategyPerformance', { ...performance, mode: 'live', other_modes: [other] }));
    const figures = panel('Strategy Performance');
    await expect.element(figures.getByText('closed live trades of its bots')).toBeVisible();
    await expect.element(figures.getByText('real orders, real money')).toBeVisible();
    await expect.element(figures.getByText('-$65.69', { exact: true })).toBeVisible();
    expect(figures.getByText(note).elements()).toEqual([]);
    await figures.getByRole('radiogroup', { name: 'Mode' }).getByText('PAPER').click();
    await expect.element(figures.getByText('closed paper trades of its bots')).toBeVisible();
    await expect.element(figures.getByText('simulated orders')).toBeVisible();
    await expect.element(figures.getByText('+$410.50', { exact: true })).toBeVisible();
    await expect.element(figures.getByText(note)).toBeVisible();
    expect(figures.getByText('-$65.69', { exact: true }).elements()).toEqual([]);
  });

  test('there is nothing to choose where only one mode has trades', async () => {
    await open([aStrategy(1)], 'trader', (net) => net.on('strategyPerformance', { ...performance, mode: 'testnet', other_modes: [] }));
    const figures = panel('Strategy Performance');
    await expect.element(figures.getByText('real orders, no real money')).toBeVisible();
    expect(figures.getByRole('radiogroup').elements()).toEqual([]);
  });

  test('the figures of one strategy do not stand beside the next one while its own are on their way', async () => {
    const next = Promise.withResolvers<typeof performance>();
    await open([aStrategy(1), aStrategy(2)], 'trader', (net) =>
      net.on('strategyPerformance', ({ path }) => (path.includes(aStrategy(2).id) ? next.promise : performance)),
    );
    const figures = panel('Strategy Performance');
    await expect.element(figures.getByText('-$65.69', { exact: true })).toBeVisible();
    await choose('Strategy', 'Strategy 2');
    await expect.element(field('Name')).toHaveValue('Strategy 2');
    await expect.poll(() => figures.getByText('-$65.69', { exact: true }).elements()).toEqual([]);
    next.resolve({ ...performance, total_pnl: 12.5 });
    await expect.element(figures.getByText('+$12.50', { exact: true })).toBeVisible();
  });

  test('ERR-11 figures that do not load are logged only and cleared', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    await open([aStrategy(1)], 'trader', (net) => net.on('strategyPerformance', problem(404, 'Strategy not found')));
    await says('No figures to show');
    expect(log.mock.calls.flat()).toContain('Failed to load strategy performance:');
    expect(page.getByRole('alert').elements()).toEqual([]);
    await expect.element(field('Name')).toHaveValue('Strategy 1');
  });

  test('without a closed trade there is no chart', async () => {
    const none = { ...performance, sharpe_ratio: null, total_trades: 0, daily_pnl: [] };
    await open([aStrategy(1)], 'trader', (net) => net.on('strategyPerformance', none));
    await says('No closed trades yet');
    await expect.element(panel('Strategy Performance').getByText('N/A')).toBeVisible();
    expect(page.getByRole('figure').elements()).toEqual([]);
  });

  test('stand the bots that use it, or that none does', async () => {
    await open([aStrategy(1)]);
    const list = panel('Used By').getByRole('listitem');
    await expect.poll(() => list.elements().map((each) => each.textContent)).toEqual(['Bot 1paperactive', 'Bot 2testnetSandboxpaused']);
    await says('2 bots, 1 live');
    network.on('strategyBots', { bots: [] });
    await page.getByRole('tab', { name: 'Status' }).click();
    await page.getByRole('tab', { name: 'Strategy' }).click();
    await says('No bots use this strategy');
  });

  test('an earlier version is restored after a question, by the version that was seen', async () => {
    let strategy = aStrategy(1, { version: 3, stoploss: -0.025 });
    let versions = [
      aVersion(3),
      aVersion(2, { changes: [{ field: 'trailing_stop', from: 'true', to: 'false' }] }),
      aVersion(1, { changed_by: null, changes: [] }),
    ];
    await open([], 'admin', (net) =>
      net
        .on('listStrategies', () => ({ strategies: [strategy] }))
        .on('listStrategyVersions', () => versions)
        .on('restoreStrategyVersion', () => {
          strategy = aStrategy(1, { version: 4 });
          versions = [aVersion(4), ...versions];
          return strategy;
        }),
    );
    await says(/Stop Loss 10\.00% → 2\.50%/u);
    await says(/Trailing Stop on → off/u);
    await expect.element(button('Restore version 3')).not.toBeInTheDocument();
    await button('Restore version 1').click();
    await says('Are you sure you want to restore version 1 of Strategy 1?');
    await dialog('Restore Version').getByRole('button', { name: 'Cancel' }).click();
    expect(network.of('restoreStrategyVersion')).toEqual([]);
    await button('Restore version 1').click();
    await expectToast('Version 1 restored', () => dialog('Restore Version').getByRole('button', { name: 'Restore Version' }).click());
    await expect.element(field('Stop Loss')).toHaveValue('10.00');
    await says('4 versions');
    const [call] = network.of('restoreStrategyVersion');
    expect(call?.path).toBe(`/strategies/${idOf(51)}/versions/1/restore`);
    expect(call?.headers.get('If-Match')).toBe('"3"');
  });

  test('a version is restored over the one that was in force when it was asked for, and not over what was saved meanwhile', async () => {
    const ofVersion = (version: number) => ({ strategies: [aStrategy(1, { version })] });
    await open([], 'admin', (net) =>
      net
        .on('listStrategies', ofVersion(3))
        .on('listStrategyVersions', [aVersion(3), aVersion(1)])
        .on('restoreStrategyVersion', problem(409, 'It was changed meanwhile')),
    );
    await button('Restore version 1').click();
    await expect.element(dialog('Restore Version')).toBeVisible();
    network.on('listStrategies', ofVersion(4));
    noteFailure('no-answer', Date.now() - 5_000);
    noteAnswer(Date.now()); // after an outage everything is loaded again
    await expect.element(page.getByText('version 4', { exact: true })).toBeInTheDocument();
    await dialog('Restore Version').getByRole('button', { name: 'Restore Version' }).click();
    await expect.poll(() => network.of('restoreStrategyVersion').map(({ headers }) => headers.get('If-Match'))).toEqual(['"3"']);
  });

  test('a version that was not restored says why', async () => {
    await open([aStrategy(1)], 'admin', (net) =>
      net
        .on('listStrategyVersions', [aVersion(2), aVersion(1)])
        .on('restoreStrategyVersion', problem(409, 'The settings were changed by somebody else. Reload and try again.')),
    );
    await button('Restore version 1').click();
    await dialog('Restore Version').getByRole('button', { name: 'Restore Version' }).click();
    await says('The version was not restored.');
    await expect.element(dialog('Restore Version')).not.toBeInTheDocument();
    await button('Load Newest Values').click();
    await never('The version was not restored.');
  });

  test.each([
    [4, { '0': 0.1, '30': 0.05, '60': 0.02, '240': 0 }],
    [3, { '0': 0.1, '30': 0.05, '60': 0.02 }],
  ])('STRAT-26 that it has %d ROI entries is said where a change would drop some of them', async (count, roi) => {
    await open([aStrategy(1, { minimal_roi: roi })]);
    await says('at most 3 entries');
    const said = page.getByText(
      'The strategy has 4 entries, and all are in use; the first 3 are shown. Saving a change of them drops the others.',
    );
    expect(said.elements()).toHaveLength(count - 3);
  });

  test('a restore that is cancelled while it is sent does not go out again; what is typed stays, and the history is loaded again', async () => {
    await open([aStrategy(1)], 'admin', (net) => net.on('listStrategyVersions', [aVersion(2), aVersion(1)]));
    await button('Restore version 1').click();
    const histories = network.of('listStrategyVersions').length;
    await expectNoFurtherTry(network, 'restoreStrategyVersion', {
      confirm: () => dialog('Restore Version').getByRole('button', { name: 'Restore Version' }).click(),
      cancel: () => dialog('Restore Version').getByRole('button', { name: 'Cancel' }).click(),
      says: 'Cancelled: nothing more is sent. Version 1 may have been restored already: check the history.',
    });
    expect(network.of('listStrategyVersions').length).toBeGreaterThan(histories);
    await never('The version was not restored.');
    await expect.element(button('Restore version 1')).toBeEnabled();
  });

  test('a history that is empty, long, or does not load says so', async () => {
    await open([aStrategy(1)]);
    await says('Nobody has changed this strategy yet');
    network.on(
      'listStrategyVersions',
      Array.from({ length: 1000 }, (_, i) => aVersion(1000 - i)),
    );
    await page.getByRole('tab', { name: 'Status' }).click();
    await page.getByRole('tab', { name: 'Strategy' }).click();
    await says('1000 versions');
    expect(panel('History').getByRole('listitem').elements()).toHaveLength(20);
    await button('Show More').click();
    await expect.poll(() => panel('History').getByRole('listitem').elements().length).toBe(40);
    network.on('listStrategyVersions', problem(403, 'Admin access required'));
    await page.getByRole('tab', { name: 'Status' }).click();
    await page.getByRole('tab', { name: 'Strategy' }).click();
    await says('Failed to load the history. Please try again.');
  });
});

test('everything is reached with the keyboard, in the order in which it is read', async () => {
  holdMoments(2000);
  await open([], 'admin', (net) => changing(net, aStrategy(1)));
  await field('Risk Reward Ratio').click();
  await userEvent.keyboard('2');
  await userEvent.tab();
  await expect.element(page.getByRole('switch', { name: 'Trailing Stop', exact: true })).toHaveFocus();
  for (const name of ['Minutes of entry 1', 'ROI of entry 1']) {
    await userEvent.tab();
    await expect.element(field(name)).toHaveFocus();
  }
  await userEvent.tab();
  await expect.element(button('Add Entry')).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  await expect.element(field('Minutes of entry 2')).toBeVisible();
  await button('Remove ROI entry 2').click();
  await userEvent.tab({ shift: true });
  for (let i = 0; i < 60 && document.activeElement?.textContent !== 'Save Changes'; i += 1) await userEvent.tab();
  await userEvent.keyboard('{Enter}');
  await says('Strategy updated successfully!');
  expect(sent()).toEqual([{ risk_reward_ratio: 2 }]);
});
