import type { CallReply } from '#contract/client.ts';
import type { Role } from '#contract/fields.ts';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Answerer } from '../../testing/answerer.ts';
import { problem } from '../../testing/answerer.ts';
import { holdBeats, holdMoments, pass } from '../../testing/held-time.ts';
import { expectNoFurtherTry } from '../../testing/cancelled-question.ts';
import { idOf } from '../../testing/samples/ids.ts';
import { aBot } from '../../testing/samples/bots.ts';
import { aStrategy } from '../../testing/samples/strategies.ts';
import { aUser } from '../../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../../testing/test-page.tsx';

type Files = CallReply<'listStrategyFiles'>;
type File = Files['files'][number];
type Code = CallReply<'strategyCode'>;

const running = (number: number, version: number, mode: 'paper' | 'live' = 'paper') => ({
  id: idOf(100 + number),
  nickname: `Bot ${number}`,
  user_id: idOf(1),
  mode,
  status: 'active' as const,
  exchange_id: 'binance',
  version,
});
const aFile = (changes: Partial<File> = {}): File => ({
  path: 'mine.ts',
  state: 'ready',
  faults: [],
  checked_at: '2026-11-21T17:42:09.000Z',
  compute_ms: 4.1,
  memory_mb: 44,
  strategies: [
    {
      id: idOf(60),
      name: 'My own',
      version: 4,
      made_at: '2026-11-21T17:42:09.000Z',
      notes: [],
      bots: [running(1, 3), running(2, 3, 'live'), running(3, 4)],
    },
  ],
  ...changes,
});
const refused = aFile({
  path: 'night.ts',
  state: 'refused',
  faults: ['night.ts cannot be loaded: Unexpected token (line 41)'],
  strategies: [],
});
const aCode = (version: number, text: string, changes: Partial<Code> = {}): Code => ({
  version,
  made_at: '2026-11-21T17:42:09.000Z',
  file: 'mine.ts',
  files: { 'mine.ts': text },
  title: 'My own',
  description: '',
  timeframe: '5m',
  stoploss: version === 4 ? -0.025 : -0.03,
  minimal_roi: {},
  trailing_stop: false,
  callbacks: [],
  can_short: false,
  startup_candles: 200,
  series: [],
  loses_when: '',
  parameters: [],
  ...changes,
});

let network: Answerer;
const open = async (files: unknown, role: Role = 'admin', search = '') => {
  network = answerFor(aUser(role)).on('listStrategyFiles', files as Files);
  startPage('/');
  await render(<TestPage path="/" search={`?tab=strategy&view=files${search}`} />);
};
const row = (name: string) => page.getByRole('listitem', { name, exact: true });
beforeAll(() => page.viewport(1440, 1000));
afterEach(() => cleanup());

describe('Files of the Strategy tab', () => {
  test('what there is to know of a class in Python stands beside it', async () => {
    const notes = ['Peeker looks ahead. Backtests say so, and no live bot runs it.', 'Its class says: exit signals count for nothing.'];
    const file = aFile({ path: 'Peeker.py' });
    await open({ folder: '/home/strategies', files: [{ ...file, strategies: file.strategies.map((each) => ({ ...each, notes })) }] });
    for (const note of notes) await expect.element(page.getByText(note)).toBeVisible();
  });

  test('without files it says where they belong; the first sub-tab is Configuration', async () => {
    await open({ folder: '/srv/flotilla/strategies', files: [] });
    await expect.element(page.getByText('No strategies of your own yet')).toBeVisible();
    await expect
      .element(page.getByText(/into \/srv\/flotilla\/strategies, or begin one there with .npm run -s flotilla -- new-strategy NAME/u))
      .toBeVisible();
    await page.getByRole('tab', { name: 'Configuration' }).click();
    await expect.element(page.getByText('No strategies yet', { exact: true })).toBeVisible();
  });

  test('the form of a new bot opens with a strategy chosen; who makes no bots is not offered it', async () => {
    await open({ folder: '/s', files: [aFile()] }, 'admin', `&bot=${idOf(101)}`);
    network.on('listStrategies', { strategies: [aStrategy(1), aStrategy(2, { id: idOf(60), name: 'My own', kind: 'file' })] });
    await page.getByRole('button', { name: 'Use My own for a bot' }).click();
    await expect.element(page.getByRole('heading', { name: 'Create New Bot' })).toBeVisible();
    await expect.element(page.getByRole('combobox', { name: 'Strategy' })).toHaveValue('My own');
    await cleanup();
    await open({ folder: null, files: [aFile()] }, 'operator');
    await expect.element(row('mine.ts')).toBeVisible();
    expect(page.getByRole('button', { name: /for a bot$/u }).elements()).toEqual([]);
  });

  test('a failed load says so and is tried again', async () => {
    await open(problem(403, 'Not now'));
    await expect.element(page.getByText('The strategy files could not be loaded.')).toBeVisible();
    const retry = page.getByRole('button', { name: 'Retry' }).element() as HTMLButtonElement;
    network.on('listStrategyFiles', { folder: '/s', files: [aFile()] });
    retry.click(); // at once: the page asks again by itself, too
    await expect.element(row('mine.ts')).toBeVisible();
  });

  test('a refused file says line and reason in its own row; one with a newer version names the bots that run an older one', async () => {
    await open({ folder: '/s', files: [aFile(), refused] });
    await expect.element(row('night.ts').getByText('night.ts cannot be loaded: Unexpected token (line 41)')).toBeVisible();
    await expect.element(row('night.ts').getByText('refused', { exact: true })).toBeVisible();
    await expect.element(row('mine.ts').getByText('newer version there')).toBeVisible();
    await expect.element(row('mine.ts').getByRole('button', { name: 'Take version 4 for Bot 1' })).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Take version 4 for Bot 3' })).not.toBeInTheDocument();
  });

  test('many files are a list', async () => {
    await open({ folder: '/s', files: Array.from({ length: 60 }, (_, i) => aFile({ path: `f${i}.ts`, strategies: [] })) });
    await expect.element(page.getByText('60 files')).toBeVisible();
    await expect.element(row('f59.ts')).toBeInTheDocument();
  });

  test('a paper bot takes the version at once, and a failure is said', async () => {
    holdMoments(2000);
    await open({ folder: '/s', files: [aFile()] });
    network.on('takeVersion', problem(409, 'There is a newer version meanwhile. Reload to see it.'));
    await page.getByRole('button', { name: 'Take version 4 for Bot 1' }).click();
    await expect.element(page.getByText(/Bot 1 did not take version 4: There is a newer version/u)).toBeVisible();
    network.on('takeVersion', aBot(1)).on('listStrategyFiles', { folder: '/s', files: [aFile({ strategies: [] })] });
    await page.getByRole('button', { name: 'Take version 4 for Bot 1' }).click();
    await expect.element(page.getByText('Bot 1 runs version 4 from the next candle on')).toBeVisible();
    expect(network.of('takeVersion')[1]).toMatchObject({ query: { mode: 'paper' }, body: { version: 4 } });
    await expect.element(page.getByRole('button', { name: 'Take version 4 for Bot 1' })).not.toBeInTheDocument();
  });

  test('a live bot is asked about first', async () => {
    await open({ folder: '/s', files: [aFile()] });
    network.on('takeVersion', aBot(2));
    await page.getByRole('button', { name: 'Take version 4 for Bot 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Take Version' });
    await expect.element(dialog.getByText(/It is live and runs version 3/u)).toBeVisible();
    await expect.element(dialog.getByText(/Its open trades stay open/u)).toBeVisible();
    expect(network.of('takeVersion')).toEqual([]);
    await dialog.getByRole('button', { name: 'Take Version 4' }).click();
    await expect.poll(() => network.of('takeVersion').length).toBe(1);
  });

  test('a live bot takes the version that was asked about, also where the file is saved again meanwhile', async () => {
    holdBeats();
    await open({ folder: '/s', files: [aFile()] });
    network.on('takeVersion', problem(409, 'There is a newer version meanwhile. Reload to see it.'));
    await page.getByRole('button', { name: 'Take version 4 for Bot 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Take Version' });
    await expect.element(dialog.getByText('Have Bot 2 run version 4 of My own? It is live and runs version 3.')).toBeVisible();
    const newer = aFile().strategies.map((each) => ({ ...each, version: 5 }));
    network.on('listStrategyFiles', { folder: '/s', files: [aFile({ strategies: newer })] });
    await pass(5_000);
    await expect.element(row('mine.ts').getByText(/^version 5,/u)).toBeInTheDocument();
    await expect.element(dialog.getByText('Have Bot 2 run version 4 of My own? It is live and runs version 3.')).toBeVisible();
    await dialog.getByRole('button', { name: 'Take Version 4' }).click();
    await expect.poll(() => network.of('takeVersion').map(({ body }) => body)).toEqual([{ version: 4 }]);
  });

  test('a live bot whose taking is cancelled while it is sent does not take the version', async () => {
    await open({ folder: '/s', files: [aFile()] });
    const dialog = page.getByRole('dialog', { name: 'Take Version' });
    await page.getByRole('button', { name: 'Take version 4 for Bot 2' }).click();
    await expectNoFurtherTry(network, 'takeVersion', {
      confirm: () => dialog.getByRole('button', { name: 'Take Version 4' }).click(),
      cancel: () => dialog.getByRole('button', { name: 'Cancel' }).click(),
      says: 'Cancelled: nothing more is sent. The change of Bot 2 to version 4 may have been done already: check the bot.',
    });
    await expect.element(dialog).not.toBeInTheDocument();
    await expect.element(page.getByRole('button', { name: 'Take version 4 for Bot 2' })).toBeEnabled();
  });

  test('an admin sees the lines that differ from the version that bots run', async () => {
    await open({ folder: '/s', files: [aFile()] });
    network.on('strategyCode', ({ path }) => (path.endsWith('/4') ? aCode(4, 'one\nthree') : aCode(3, 'one\ntwo')));
    await page.getByRole('button', { name: 'Code and what differs' }).click();
    await expect.element(page.getByText('lines added: 1, removed: 1')).toBeVisible();
    await expect.element(page.getByText('+ three')).toBeVisible();
    await expect.element(page.getByText('-3.00%')).toBeVisible(); // struck through
    await expect.element(page.getByText(/-2\.50%/u)).toBeVisible();
  });

  test('a trader sees no texts, and may not take versions for bots of others', async () => {
    const others = { ...running(9, 3), user_id: idOf(9) };
    const [strategy] = aFile().strategies;
    await open(
      { folder: null, files: [aFile({ path: null, strategies: strategy === undefined ? [] : [{ ...strategy, bots: [others] }] })] },
      'trader',
    );
    network.on('strategyCode', aCode(4, '', { files: null, file: null }));
    await expect.element(row('My own')).toBeVisible();
    await expect.element(page.getByRole('button', { name: /^Take version/u })).not.toBeInTheDocument();
    await page.getByRole('button', { name: 'What it says of itself' }).click();
    await expect.element(page.getByText('Candles needed first')).toBeVisible();
    await expect.element(page.getByRole('figure')).not.toBeInTheDocument();
  });
});
