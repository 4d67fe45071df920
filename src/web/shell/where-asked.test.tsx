import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import { changeAddress } from '../address/address.ts';
import { resetBacktests } from '../backtest/backtest-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { pass } from '../testing/held-time.ts';
import { button } from '../testing/on-page.ts';
import { aBot, aBotConfig, liveOf } from '../testing/samples/bots.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aHistory } from '../testing/samples/rules.ts';
import { aRun, someDetails } from '../testing/samples/runs.ts';
import { aStrategy, someDetails as strategyDetails } from '../testing/samples/strategies.ts';
import { aUser } from '../testing/samples/users.ts';
import { aWhatIf, aWhatIfAnswer } from '../testing/samples/what-if.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

let network: Answerer;
const open = async (search: string, answers: (network: Answerer) => Answerer) => {
  network = answers(answerFor(aUser('trader')));
  startPage('/');
  resetBacktests();
  await render(<TestPage path="/" search={search} />);
};
beforeAll(() => page.viewport(1440, 1000));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const strategies = [aStrategy(0, { name: 'EMA Cross', supported_exchanges: ['sandbox'] })];
const ofBacktest = (net: Answerer) =>
  net
    .on('listStrategies', { strategies })
    .on('strategyDetails', strategyDetails())
    .on('backtestResults', ({ query }) => ({ results: [query['id'] === undefined ? aRun(1) : { ...aRun(1), details: someDetails() }] }));
const ofWhatIf = (net: Answerer) =>
  net
    .on('whatIf', aWhatIf())
    .on('whatIfCandles', () => aHistory())
    .on('whatIfAnswer', aWhatIfAnswer());
const turn = async (name: string) => {
  (page.getByRole('slider', { name, exact: true }).element() as HTMLElement).focus();
  await userEvent.keyboard('{ArrowRight}');
};

describe('the form of a bot that is opened from elsewhere', () => {
  test.each<[string, string, (net: Answerer) => Answerer, 'strategyDetails' | 'getBot' | 'listExchanges', () => Promise<void>]>([
    [
      'of a run',
      '?tab=backtest',
      ofBacktest,
      'strategyDetails',
      async () => {
        await page
          .getByRole('table', { name: 'Earlier Runs', exact: true })
          .getByRole('button')
          .filter({ hasText: /^20/u })
          .first()
          .click();
        await expect.element(button('Make a Bot of This Run')).toBeEnabled();
      },
    ],
    [
      'of What If',
      `?tab=backtest&view=what-if&bot=${idOf(101)}`,
      ofWhatIf,
      'getBot',
      async () => {
        await expect.element(page.getByRole('slider', { name: 'Stake', exact: true })).toBeVisible();
        await turn('Stake');
        await expect.element(button('Use for Bot')).toBeEnabled();
      },
    ],
    ['of the first steps on Status', '', (net) => net, 'listExchanges', () => Promise.resolve()],
    ['of the first steps on Bots', '?tab=bot_control', (net) => net, 'listExchanges', () => Promise.resolve()],
  ])('%s takes nobody away who has gone on meanwhile, nor what is typed there', async (what, search, answers, call, prepare) => {
    const isFirst = what.includes('first');
    await open(search, (net) => {
      const none = net.on('listBots', []).on('availableBots', { data: [] }).on('liveStatus', liveOf([]));
      return answers(isFirst ? none : net);
    });
    await prepare();
    let release = () => undefined as void;
    const config = aBotConfig(aBot(1));
    const replies = { strategyDetails: strategyDetails(), getBot: config, listExchanges: { exchanges: [] } };
    network.on(call, () => new Promise<never>((resolve) => (release = () => resolve(replies[call] as never))));
    const asked = network.of(call).length;
    await button(isFirst ? 'See a Bot Trade' : what === 'of a run' ? 'Make a Bot of This Run' : 'Use for Bot').click();
    await expect.poll(() => network.of(call).length).toBeGreaterThan(asked);
    const answer = release; // to what was asked for, and to nothing later
    network.on(call, replies[call]);
    changeAddress({ tab: 'bot_control', view: 'configure', bot: null, run: null });
    await expect.element(field('Nickname')).toBeVisible();
    await field('Nickname').fill('My own');
    answer();
    await pass(0); // what follows the answer
    await expect.element(field('Nickname')).toHaveValue('My own');
  });

  test('keeps what the bot sets itself beside what was turned', async () => {
    const own = { ...aBot(1), own_settings: { stoploss: -0.05 } };
    await open(`?tab=backtest&view=what-if&bot=${idOf(101)}`, (net) =>
      ofWhatIf(net).on('getBot', aBotConfig(own)).on('listStrategies', { strategies }).on('strategyDetails', strategyDetails()),
    );
    await expect.element(page.getByRole('slider', { name: 'Low', exact: true })).toBeVisible();
    await turn('Low');
    await button('Use for Bot').click();
    await expect.element(field('Own Stop Loss')).toHaveValue('5');
    await expect.element(page.getByRole('heading', { name: 'Edit Bot' })).toBeVisible();
  });
});
