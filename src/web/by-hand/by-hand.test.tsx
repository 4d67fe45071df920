import axe from 'axe-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import { otherMode } from '#contract/bots.ts';
import type { CallReply } from '#contract/client.ts';
import { texts } from '#contract/errors.ts';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { holdBeats, holdMoments, pass } from '../testing/held-time.ts';
import { aBot, aBotConfig, asLive, asMonitored, liveOf } from '../testing/samples/bots.ts';
import { idOf } from '../testing/samples/ids.ts';
import { someCandles, somePnl } from '../testing/samples/monitoring.ts';
import { someTradeOrders } from '../testing/samples/trade-orders.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { expectToast } from '../testing/toasts.ts';
import { refusedText } from './by-hand-words.ts';

type Action = CallReply<'manualActions'>['actions'][number];

let network: Answerer;
const trade = someTradeOrders();
const asked: CallReply<'enterByHand'> = { action_id: idOf(700), expires_in_ms: 30_000 };
const open = async (search: string, answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(
    answerFor(aUser('trader'))
      .on('tradeOrders', trade)
      .on('pnlMetrics', somePnl({ current_price: 2080, unrealized_pnl: 9, position_size: 0.4853 })),
  );
  startPage('/');
  return render(<TestPage path="/" search={search} />);
};
const openTrade = (answers?: (network: Answerer) => Answerer) => open(`?order=${trade.trade_id}`, answers);
beforeAll(() => page.viewport(1440, 1000));
afterEach(async () => {
  await cleanup();
  network.stop();
  await page.viewport(1440, 1000);
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });
const bodies = (name: 'addToTrade' | 'takeOutOfTrade' | 'moveStop' | 'enterByHand') => network.of(name).map(({ body }) => body);
const anAction = (changes: Partial<Action> = {}): Action => ({
  action_id: idOf(700),
  kind: 'take-out',
  symbol: 'ETH/USDT',
  trade_id: trade.trade_id,
  direction: null,
  stake: null,
  share: 0.25,
  stop_price: null,
  asked_by: 'Mara',
  asked_by_you: true,
  asked_at: '2026-11-21T19:03:58.000Z',
  state: 'waiting',
  refusal: null,
  order_id: null,
  ended_at: null,
  ...changes,
});

describe('an open trade', () => {
  test('ADD-take-out a part is chosen, its money is named, and it is asked for by the button alone', async () => {
    await openTrade((net) => net.on('takeOutOfTrade', asked));
    await button('Take Out').click();
    const asking = dialog('Take Out');
    await asking.getByText('25 %', { exact: true }).click();
    await expect.element(asking.getByText('0.121325 ETH, about $252.36')).toBeVisible();
    await expect.element(asking.getByText('+$2.25')).toBeVisible();
    const part = asking.getByRole('textbox', { name: 'Part (%)' });
    await part.click();
    await userEvent.keyboard('{Enter}');
    expect(bodies('takeOutOfTrade')).toEqual([]);
    await part.fill('100');
    await expect.element(asking.getByText('Between 0 and 100 %')).toBeVisible();
    await expect.element(asking.getByRole('button', { name: 'Take Out' })).toBeDisabled();
    await part.fill('40');
    network.on('tradeOrders', someTradeOrders({ by_hand: [anAction({ share: 0.4 })] }));
    await asking.getByRole('button', { name: 'Take Out' }).click();
    await expect.element(asking).not.toBeInTheDocument();
    expect(bodies('takeOutOfTrade')).toEqual([{ share: 0.4 }]);
    const list = page.getByRole('list', { name: 'By hand' });
    await expect.element(list.getByText('Take out 40 %')).toBeVisible();
    await expect.element(list.getByText('Waiting for the bot')).toBeVisible();
    await expect.element(button('Add')).toBeDisabled();
    network.on('tradeOrders', someTradeOrders({ by_hand: [anAction({ share: 0.4, state: 'refused', refusal: 'rest-too-small' })] }));
    await expect.element(list.getByText(refusedText('rest-too-small'))).toBeVisible();
    await expect.element(button('Add')).toBeEnabled();
  });

  test('ADD-take-out what a part brings is of what is held: what was taken out before is in the profit of the trade, not in that of a part', async () => {
    const terms = {
      direction: 'long',
      market_type: 'spot',
      leverage: 1,
      amount: 0.4853,
      open_rate: 2060.558,
      open_value: 1000,
      open_time: 1_763_683_200_000,
      fee_close: 0.001,
      funding_fees: 0,
      interest: null,
      taken_out: 25,
    } as const;
    await openTrade((net) =>
      net.on('pnlMetrics', somePnl({ current_price: 2080, unrealized_pnl: 34, position_size: 0.4853, profit_terms: terms })),
    );
    await button('Take Out').click();
    await expect.element(dialog('Take Out').getByText('+$4.50')).toBeVisible();
  });

  test('ADD-add-to-trade a stake is asked for; a refusal of the server is said, and what was typed stays', async () => {
    await openTrade((net) => net.on('addToTrade', problem(409, 'Another order by hand of this pair has not ended yet. Wait a moment.')));
    await button('Add').click();
    const asking = dialog('Add');
    await asking.getByRole('textbox', { name: 'Stake (USDT)' }).fill('0');
    await expect.element(asking.getByText('Stake amount must be positive')).toBeVisible();
    await asking.getByRole('textbox', { name: 'Stake (USDT)' }).fill('208');
    await expect.element(asking.getByText('about 0.1 ETH')).toBeVisible();
    await expect.element(asking.getByText('$1208.00')).toBeVisible();
    await asking.getByRole('button', { name: 'Add' }).click();
    await expect.element(asking.getByText('Another order by hand of this pair has not ended yet. Wait a moment.')).toBeVisible();
    await expect.element(asking.getByRole('textbox', { name: 'Stake (USDT)' })).toHaveValue('208');
    network.on('addToTrade', asked);
    await asking.getByRole('button', { name: 'Add' }).click();
    await expect.element(asking).not.toBeInTheDocument();
    expect(bodies('addToTrade')).toEqual([{ stake: 208 }, { stake: 208 }]);
  });

  test('ADD-add-to-trade what a stake buys is worked out with the leverage of the trade', async () => {
    await openTrade((net) => net.on('tradeOrders', someTradeOrders({ leverage: 3 })));
    await button('Add').click();
    await dialog('Add').getByRole('textbox', { name: 'Stake (USDT)' }).fill('208');
    await expect.element(dialog('Add').getByText('about 0.3 ETH')).toBeVisible();
  });

  test('ADD-move-stop says what a fill there would bring; a stop that the price has passed cannot be asked for', async () => {
    await openTrade((net) => net.on('moveStop', asked));
    await button('Move Stop').click();
    const asking = dialog('Move Stop');
    const price = asking.getByRole('textbox', { name: 'Stop Price (USDT)' });
    await expect.element(price).toHaveValue('2039.95');
    await price.fill('2080');
    await expect.element(asking.getByText('The price has passed it already. Use Close now to leave.')).toBeVisible();
    await expect.element(asking.getByRole('button', { name: 'Move Stop' })).toBeDisabled();
    // 2,060 for thousands, which is read as 2.06, would be a stop that is never reached; nor is one that many digits too high meant.
    for (const slip of ['2,060', '206000']) {
      await userEvent.clear(price);
      await userEvent.type(price, slip);
      await expect.element(asking.getByText(/^More than ten times away from the price\./u)).toBeVisible();
      await expect.element(asking.getByRole('button', { name: 'Move Stop' })).toBeDisabled();
    }
    await price.fill('2060');
    // 9 now, and 20 lower for 0.4853.
    await expect.element(asking.getByText('-$0.71')).toBeVisible();
    await expect.element(asking.getByText('-0.96%')).toBeVisible();
    await asking.getByRole('button', { name: 'Move Stop' }).click();
    await expect.element(asking).not.toBeInTheDocument();
    expect(bodies('moveStop')).toEqual([{ price: 2060 }]);
  });

  test('ADD-move-stop a short has its stop above the price', async () => {
    await openTrade((net) => net.on('tradeOrders', someTradeOrders({ direction: 'short', stop_price: 2100 })));
    await button('Move Stop').click();
    const asking = dialog('Move Stop');
    await expect.element(asking.getByRole('button', { name: 'Move Stop' })).toBeEnabled();
    await asking.getByRole('textbox', { name: 'Stop Price (USDT)' }).fill('2079');
    await expect.element(asking.getByRole('button', { name: 'Move Stop' })).toBeDisabled();
  });

  test('ADD-move-stop a stop that was set by hand says so, and can be given back to the bot', async () => {
    await openTrade((net) =>
      net
        .on('tradeOrders', someTradeOrders({ stop_by_hand: true, stop_moves: [{ at: '2026-11-21T19:00:00.000Z', price: 2039.95 }] }))
        .on('moveStop', asked),
    );
    await expect.element(page.getByText('set by hand')).toBeVisible();
    await expect.element(page.getByRole('heading', { name: 'Moves of Its Stop' })).toBeVisible();
    await button('Move Stop').click();
    await dialog('Move Stop').getByRole('switch', { name: 'Let the bot move it again' }).click({ force: true });
    await dialog('Move Stop').getByRole('button', { name: 'Let the Bot Move It' }).click();
    await expect.poll(() => bodies('moveStop')).toEqual([{ price: null }]);
  });

  test('one of ETH/BTC is closed after a question that names its result in bitcoins', async () => {
    await openTrade((net) =>
      net
        .on('tradeOrders', someTradeOrders({ symbol: 'ETH/BTC', entry_price: 0.05, stop_price: 0.03, stake: 0.025, price_tick: 0.00001 }))
        .on('pnlMetrics', somePnl({ current_price: 0.04, unrealized_pnl: -0.01, position_size: 0.4853 })),
    );
    await button('Close now').click();
    await expect.element(dialog('Close Trade').getByText('-0.010000 BTC', { exact: true })).toBeVisible();
    expect(dialog('Close Trade').element().textContent).not.toContain('$');
  });

  test('of one whose position is gone at the exchange nothing is said to come of the close', async () => {
    holdBeats();
    await openTrade();
    await button('Close now').click();
    const result = () =>
      [...dialog('Close Trade').element().querySelectorAll('dl > div')].find(
        ({ firstChild }) => firstChild?.textContent === 'Estimated result',
      )?.lastChild?.textContent;
    await expect.poll(result).toBe('+$9.00');
    network.on('pnlMetrics', somePnl({ current_price: 2080, unrealized_pnl: 0, position_size: null }));
    await pass(5_000);
    await expect.poll(result).toBe('not known');
  });

  test.each([
    ['of another person', { may_close: false }],
    ['that is closed', { status: 'closed' as const }],
    ['that is being closed', { close_asked_at: '2026-11-21T19:03:00.000Z' }],
  ])('one %s has none of it', async (_, changes) => {
    await openTrade((net) => net.on('tradeOrders', someTradeOrders(changes)));
    await expect.element(page.getByRole('heading', { name: 'What It Cost' })).toBeVisible();
    await expect.element(button('Take Out')).not.toBeInTheDocument();
  });

  test('the question has no findings in either theme, and fits 390 px', async () => {
    await page.viewport(390, 844);
    await openTrade();
    await button('Move Stop').click();
    await expect.element(dialog('Move Stop').getByText('Result if it is hit')).toBeVisible();
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
    const { violations } = await axe.run(dialog('Move Stop').element());
    expect(violations.map(({ id }) => id)).toEqual([]);
  });
});

describe('ADD-enter-by-hand', () => {
  const mine = { ...asMonitored(aBot(1)), may_change: true };
  const openStatus = (answers: (network: Answerer) => Answerer = (same) => same) =>
    open('', (net) =>
      answers(
        net
          .on('availableBots', { data: [mine] })
          .on('enterByHand', asked)
          .on('manualActions', { actions: [] }),
      ),
    );

  test('a bot is asked on its chart for an entry with a stake and a stop; what came of it is shown, and leads to the trade', async () => {
    await openStatus((net) =>
      net.on('manualActions', { actions: [anAction({ kind: 'enter', direction: 'long', stake: 75, share: null, trade_id: null })] }),
    );
    await button('Enter by Hand').click();
    const asking = dialog('Enter by Hand');
    await expect.element(asking.getByRole('textbox', { name: /^Stake/u })).toBeVisible();
    await asking.getByRole('textbox', { name: /^Stake/u }).fill('75');
    await asking.getByRole('textbox', { name: /^Stop Price/u }).fill('1955.5');
    await asking.getByRole('button', { name: 'Enter', exact: true }).click();
    await expect.element(dialog('Enter by Hand').getByText('Waiting for the bot')).toBeVisible();
    expect(bodies('enterByHand')).toEqual([{ symbol: 'BTC/USDT', direction: 'long', stake: 75, stop_price: 1955.5, mode: 'paper' }]);
    expect(network.of('enterByHand').map(({ headers }) => headers.get('if-match'))).toEqual(['"1"']);
    network.on('manualActions', { actions: [anAction({ kind: 'enter', direction: 'long', stake: 75, share: null, state: 'done' })] });
    await dialog('Enter by Hand').getByRole('button', { name: 'Show the Trade' }).click();
    await expect.element(page.getByRole('heading', { name: /ETH\/USDT, 2026-11-21/u })).toBeVisible();
  });

  test('a bot of perpetuals is asked for the direction that was chosen', async () => {
    const perpetuals = aBot(1, { margin_mode: 'futures', trading_pairs: ['BTC/USDT:USDT'] });
    await openStatus((net) => net.on('getBot', aBotConfig(perpetuals)));
    await button('Enter by Hand').click();
    await dialog('Enter by Hand').getByText('Short', { exact: true }).click();
    await dialog('Enter by Hand').getByRole('button', { name: 'Enter', exact: true }).click();
    await expect.poll(() => bodies('enterByHand')).toMatchObject([{ symbol: 'BTC/USDT:USDT', direction: 'short' }]);
  });

  test('what is shown is what came of the own question, not of another one of the bot', async () => {
    const enter = { kind: 'enter', direction: 'long', stake: 75, share: null, trade_id: null } as const;
    const others = anAction({ ...enter, action_id: idOf(701), state: 'refused', refusal: 'slots-full' });
    await openStatus((net) => net.on('manualActions', { actions: [others, anAction(enter)] }));
    await button('Enter by Hand').click();
    await dialog('Enter by Hand').getByRole('button', { name: 'Enter', exact: true }).click();
    await expect.element(dialog('Enter by Hand').getByText('Waiting for the bot')).toBeVisible();
    await expect.element(dialog('Enter by Hand').getByText('Not done: no free slot.')).not.toBeInTheDocument();
  });

  test('what came of it is waited for also where the list that is there does not have it yet', async () => {
    const enter = anAction({ kind: 'enter', direction: 'long', stake: 75, share: null, trade_id: null });
    await openStatus((net) => net.on('manualActions', () => ({ actions: network.of('manualActions').length < 4 ? [] : [enter] })));
    await button('Enter by Hand').click();
    await dialog('Enter by Hand').getByRole('button', { name: 'Enter', exact: true }).click();
    await expect.element(dialog('Enter by Hand').getByText('Waiting for the bot')).toBeVisible();
  });

  test.each([
    ['slots-full', 'Not done: no free slot.'],
    [
      'settings-changed',
      'Not done: the settings or the mode of its bot were changed meanwhile. Look at them, then ask again if you still want it.',
    ],
  ])('a refusal (%s) says why, and the question can be changed', async (refusal, text) => {
    await openStatus((net) =>
      net.on('manualActions', {
        actions: [anAction({ kind: 'enter', direction: 'long', stake: 75, share: null, trade_id: null, state: 'refused', refusal })],
      }),
    );
    await button('Enter by Hand').click();
    await dialog('Enter by Hand').getByRole('button', { name: 'Enter', exact: true }).click();
    await expect.element(dialog('Enter by Hand').getByText(text)).toBeVisible();
    await dialog('Enter by Hand').getByRole('button', { name: 'Change It' }).click();
    await expect.element(dialog('Enter by Hand').getByRole('textbox', { name: /^Stake/u })).toBeVisible();
  });

  test('a refused question comes back as it was asked', async () => {
    const perpetuals = aBot(1, { margin_mode: 'futures', trading_pairs: ['BTC/USDT:USDT', 'ETH/USDT:USDT'] });
    const refused = anAction({
      kind: 'enter',
      direction: 'short',
      stake: 75,
      share: null,
      trade_id: null,
      state: 'refused',
      refusal: 'slots-full',
    });
    await openStatus((net) => net.on('getBot', aBotConfig(perpetuals)).on('manualActions', { actions: [refused] }));
    await button('Enter by Hand').click();
    const asking = dialog('Enter by Hand');
    const stop = asking.getByRole('textbox', { name: /^Stop Price/u });
    await asking.getByRole('combobox', { name: 'Trading Pair' }).click();
    await page.getByRole('option', { name: 'ETH/USDT:USDT' }).click();
    await asking.getByText('Short', { exact: true }).click();
    await asking.getByRole('textbox', { name: /^Stake/u }).fill('75');
    await stop.fill('2100.5');
    await asking.getByRole('button', { name: 'Enter', exact: true }).click();
    await asking.getByRole('button', { name: 'Change It' }).click();
    await expect.element(stop).toHaveValue('2100.5');
    await stop.fill('2101');
    await asking.getByRole('button', { name: 'Enter', exact: true }).click();
    const first = { symbol: 'ETH/USDT:USDT', direction: 'short', stake: 75, stop_price: 2100.5, mode: 'paper' };
    await expect.poll(() => bodies('enterByHand')).toEqual([first, { ...first, stop_price: 2101 }]);
  });

  describe('confirmed of a bot that is another one by now', () => {
    const asking = () => dialog('Enter by Hand');
    const stake = () => asking().getByRole('textbox', { name: /^Stake/u });
    const enter = () => asking().getByRole('button', { name: 'Enter', exact: true });

    test('switched to live meanwhile: the dialog says so, shows it as it is now, and enters only what is confirmed of that', async () => {
      const live = aBot(1, { mode: 'live' });
      await openStatus((net) =>
        net.on('enterByHand', () => {
          network.on('getBot', aBotConfig(live)).on('enterByHand', asked);
          return problem(409, otherMode);
        }),
      );
      await button('Enter by Hand').click();
      await stake().fill('75');
      await expect.element(asking().getByText('simulated orders, simulated market')).toBeVisible();
      await enter().click();
      await expect.element(asking().getByText('The mode of this bot was changed meanwhile: nothing was entered.')).toBeVisible();
      await expect.element(asking().getByText('It is shown as it is now. Check it before you enter.')).toBeVisible();
      await expect.element(asking().getByText('real orders, simulated market')).toBeVisible();
      await expect.element(stake()).toHaveValue('75');
      await enter().click();
      await expect
        .poll(() => bodies('enterByHand'))
        .toMatchObject([
          { mode: 'paper', stake: 75 },
          { mode: 'live', stake: 75 },
        ]);
    });

    test('with other settings meanwhile: what was typed stays, what was not is as it is now', async () => {
      const changed = aBot(1, { version: 2, stake_amount: 40, exchange_id: 'binance', trading_pairs: ['ETH/USDT', 'SOL/USDT'] });
      await openStatus((net) =>
        net.on('enterByHand', () => {
          network.on('getBot', aBotConfig(changed)).on('enterByHand', asked);
          return problem(409, texts.changedMeanwhile);
        }),
      );
      await button('Enter by Hand').click();
      await expect.element(stake()).toHaveValue('100');
      await enter().click();
      await expect.element(asking().getByText('The settings of this bot were changed meanwhile: nothing was entered.')).toBeVisible();
      await expect.element(stake()).toHaveValue('40');
      await expect.element(asking().getByText('simulated orders', { exact: true })).toBeVisible(); // no simulated market any more
      await expect.element(asking().getByRole('combobox', { name: 'Trading Pair' })).toHaveValue(''); // it does not trade BTC now
      await expect.element(enter()).toBeDisabled();
      await asking().getByRole('combobox', { name: 'Trading Pair' }).click();
      await page.getByRole('option', { name: 'SOL/USDT' }).click();
      await enter().click();
      await expect.poll(() => bodies('enterByHand').at(-1)).toMatchObject({ symbol: 'SOL/USDT', stake: 40 });
      expect(network.of('enterByHand').map(({ headers }) => headers.get('if-match'))).toEqual(['"1"', '"2"']);
    });

    test('on spot meanwhile: a short that was chosen is none any more', async () => {
      const margin = aBot(1, { margin_mode: 'margin' });
      await openStatus((net) =>
        net.on('getBot', aBotConfig(margin)).on('enterByHand', () => {
          network.on('getBot', aBotConfig(aBot(1, { version: 2, margin_mode: 'spot' }))).on('enterByHand', asked);
          return problem(409, texts.changedMeanwhile);
        }),
      );
      await button('Enter by Hand').click();
      await asking().getByText('Short', { exact: true }).click();
      await enter().click();
      await expect.element(asking().getByText('The settings of this bot were changed meanwhile: nothing was entered.')).toBeVisible();
      await expect.element(asking().getByText('Short', { exact: true })).not.toBeInTheDocument();
      await enter().click();
      await expect.poll(() => bodies('enterByHand')).toMatchObject([{ direction: 'short' }, { direction: 'long' }]);
    });

    test('with another stake currency meanwhile: an amount that was typed in the one before is not kept', async () => {
      const changed = aBot(1, { version: 2, stake_currency: 'BTC', stake_amount: 0.002, trading_pairs: ['ETH/BTC'] });
      await openStatus((net) =>
        net.on('enterByHand', () => {
          network.on('getBot', aBotConfig(changed));
          return problem(409, texts.changedMeanwhile);
        }),
      );
      await button('Enter by Hand').click();
      await stake().fill('75');
      await enter().click();
      await expect.element(asking().getByRole('textbox', { name: 'Stake (BTC)' })).toHaveValue('0.002');
    });

    test('nothing is confirmed until it is there again; a failure to load it is said', async () => {
      const { promise, resolve } = Promise.withResolvers<CallReply<'getBot'>>();
      await openStatus((net) =>
        net.on('enterByHand', () => {
          if (network.of('enterByHand').length === 1) network.on('getBot', () => promise);
          return problem(409, otherMode);
        }),
      );
      await button('Enter by Hand').click();
      await enter().click();
      await expect.element(asking().getByText('It is being loaded again.')).toBeVisible();
      await expect.element(enter()).toBeDisabled();
      network.on('getBot', problem(404, 'Bot not found'));
      resolve(aBotConfig());
      await expect.element(enter()).toBeEnabled();
      await enter().click();
      await expect.element(asking().getByText('It could not be loaded again: Bot not found')).toBeVisible();
    });
  });

  describe('its stop', () => {
    const perpetuals = aBot(1, { margin_mode: 'futures', leverage: 3, trading_pairs: ['BTC/USDT:USDT', 'ETH/USDT:USDT'] });
    const asking = () => dialog('Enter by Hand');
    const stop = () => asking().getByRole('textbox', { name: /^Stop Price/u });
    const enter = () => asking().getByRole('button', { name: 'Enter', exact: true });
    const choosePair = async (name: string) => {
      await asking().getByRole('combobox', { name: 'Trading Pair' }).click();
      await page.getByRole('option', { name }).click();
    };
    const prices: Readonly<Record<string, number>> = { 'BTC/USDT:USDT': 64_000, 'ETH/USDT:USDT': 2080 };
    const openPerpetuals = async () => {
      await openStatus((net) =>
        net.on('getBot', aBotConfig(perpetuals)).on('pnlMetrics', ({ query }) =>
          somePnl({
            current_price: prices[query['symbol'] ?? ''] ?? 105,
            unrealized_pnl: 0,
            position_size: null,
            entry_price: null,
            price_tick: 0.01,
          }),
        ),
      );
      await button('Enter by Hand').click();
    };

    test('is of one pair and one direction: with another one it is not kept', async () => {
      await openPerpetuals();
      await choosePair('ETH/USDT:USDT');
      await stop().fill('1900');
      await choosePair('ETH/USDT:USDT');
      await expect.element(stop()).toHaveValue('1900');
      await choosePair('BTC/USDT:USDT');
      await expect.element(stop()).toHaveValue('');
      await stop().fill('60000');
      await asking().getByText('Short', { exact: true }).click();
      await expect.element(stop()).toHaveValue('');
      await enter().click();
      await expect.poll(() => bodies('enterByHand')).toMatchObject([{ symbol: 'BTC/USDT:USDT', direction: 'short', stop_price: null }]);
    });

    test('on spot loses what it does without leverage, also of a bot that had perpetuals at 3x before', async () => {
      await openStatus((net) => net.on('getBot', aBotConfig(aBot(1, { margin_mode: 'spot', leverage: 3 }))));
      await button('Enter by Hand').click();
      await expect.element(asking().getByText(/^\$2080\.00 as of /u)).toBeVisible();
      await stop().fill('1976');
      await expect.element(asking().getByText('-5.00%')).toBeVisible();
      await expect.element(asking().getByText('-$5.00', { exact: true })).toBeVisible();
    });

    test('stands beside the price of the pair: how far it is, and what would be lost at it', async () => {
      await openPerpetuals();
      await expect.element(asking().getByText(/^\$64000\.00 as of /u)).toBeVisible();
      await expect.element(asking().getByText('Result if it is hit')).not.toBeInTheDocument();
      await choosePair('ETH/USDT:USDT');
      await expect.element(asking().getByText(/^\$2080\.00 as of /u)).toBeVisible();
      await stop().fill('1976');
      await expect.element(asking().getByText('-5.00%')).toBeVisible();
      // 5 % of 100 at 3x
      await expect.element(asking().getByText('3x')).toBeVisible();
      await expect.element(asking().getByText('-$15.00 before fees')).toBeVisible();
      await asking().getByText('Short', { exact: true }).click();
      await stop().fill('2100.8');
      await expect.element(asking().getByText('+1.00%')).toBeVisible();
      await expect.element(asking().getByText('-$3.00 before fees')).toBeVisible();
    });

    test('cannot be where the price has passed it already', async () => {
      await openPerpetuals();
      await expect.element(asking().getByText(/^\$64000\.00 as of /u)).toBeVisible();
      await stop().fill('64100');
      await expect.element(asking().getByText('The price has passed it already.')).toBeVisible();
      await expect.element(enter()).toBeDisabled();
      await asking().getByText('Short', { exact: true }).click();
      await stop().fill('64100');
      await expect.element(enter()).toBeEnabled();
      await stop().fill('-1');
      await expect.element(asking().getByText('Stop price must be positive')).toBeVisible();
      await asking().getByText('Long', { exact: true }).click();
      await userEvent.type(stop(), '63,900');
      await expect.element(asking().getByText(/^More than ten times away from the price\./u)).toBeVisible();
      await expect.element(enter()).toBeDisabled();
    });

    test('a price that is not known says so, and stops nobody', async () => {
      await openStatus((net) => net.on('pnlMetrics', problem(502, texts.exchangeUnreachable)));
      await button('Enter by Hand').click();
      await stop().fill('95.5');
      await expect.poll(() => asking().getByText('not known').elements().length).toBe(3); // the price, the distance, the result
      await enter().click();
      await expect.poll(() => bodies('enterByHand')).toMatchObject([{ stop_price: 95.5 }]);
    });
  });

  test.each([
    ['another person', { may_change: false }],
    ['nobody while it is paused', { status: 'paused' as const }],
  ])('is offered to %s', async (_, changes) => {
    await open('', (net) =>
      net
        .on('availableBots', { data: [{ ...mine, ...changes }] })
        .on('liveStatus', liveOf([{ ...asLive(aBot(1)), status: { ...mine, ...changes }.status }])),
    );
    await expect.element(page.getByRole('button', { name: '5m', exact: true })).toBeVisible();
    await expect.element(button('Enter by Hand')).not.toBeInTheDocument();
  });

  test('the entry is of the pair whose chart is shown', async () => {
    await open(`?bot=${idOf(101)}&pair=ETH/USDT`, (net) =>
      net
        .on('availableBots', { data: [mine] })
        .on('enterByHand', asked)
        .on('manualActions', { actions: [] }),
    );
    await button('Enter by Hand').click();
    const asking = dialog('Enter by Hand');
    await expect.element(asking.getByRole('combobox', { name: 'Trading Pair' })).toHaveValue('ETH/USDT');
    await asking.getByRole('button', { name: 'Enter', exact: true }).click();
    await expect.poll(() => bodies('enterByHand')).toMatchObject([{ symbol: 'ETH/USDT' }]);
  });

  describe('the stop that is dragged on the chart', () => {
    const entered = {
      trade_id: trade.trade_id,
      timestamp: 1_763_683_200_000 - 3_000_000,
      direction: 'long' as const,
      status: 'open' as const,
      entry_price: 104,
      stop_price: 98,
    };
    /** The chart of the open trade, with the pointer over the line of its stop: how to do something with it so far above the line, in px. */
    const holdStop = async (answers: (network: Answerer) => Answerer = (same) => same) => {
      await openStatus((net) =>
        answers(
          net
            .on('chartOverlays', { trades: [entered], stops: [], avwap: [] })
            .on('chartCandles', { ...someCandles(60, 105), stop_price: 98 }),
        ),
      );
      await expect.poll(() => document.querySelector('.tv-lightweight-charts')).not.toBeNull();
      const chart = document.querySelector('.tv-lightweight-charts') as HTMLElement;
      const box = () => chart.getBoundingClientRect();
      const at = (kind: string, clientY: number) => {
        const where = { clientX: box().left + 200, clientY, pointerId: 1, button: 0 };
        chart.dispatchEvent(new PointerEvent(kind, { ...where, bubbles: true, cancelable: true }));
      };
      // The line is where the pointer becomes a handle.
      const lineAt = () => {
        for (let y = box().top; y < box().bottom; y += 2) {
          at('pointermove', y);
          if (chart.classList.contains('chart-over-stop')) return y + 5;
        }
        return null;
      };
      await expect.poll(lineAt).not.toBeNull();
      const y = lineAt() ?? 0;
      chart.setPointerCapture = () => {}; // of a pointer that no hand moves
      return (kind: string, above = 0) => at(kind, y - above);
    };
    const drop = (hand: Awaited<ReturnType<typeof holdStop>>) => {
      hand('pointermove');
      hand('pointerdown');
      hand('pointermove', 12);
      hand('pointerup', 12);
    };

    test('ADD-move-stop a question follows, and Escape drops nothing', async () => {
      const hand = await holdStop();
      hand('pointerdown');
      hand('pointermove', 12);
      window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
      hand('pointerup', 12);
      await expect.element(dialog('Move Stop')).not.toBeInTheDocument();
      drop(hand);
      const price = dialog('Move Stop').getByRole('textbox', { name: 'Stop Price (USDT)' });
      await expect.element(price).toBeVisible();
      const dropped = Number((price.element() as HTMLInputElement).value);
      expect(dropped).toBeGreaterThan(98);
      expect(dropped).toBeLessThan(104);
    });

    test('is the stop of the trade that it was dragged for, also where that ends meanwhile and another one opens', async () => {
      const hand = await holdStop((net) =>
        net
          .on('tradeOrders', ({ path }) => someTradeOrders({ trade_id: path.split('/')[2] ?? '' }))
          .on('pnlMetrics', somePnl({ current_price: 104, unrealized_pnl: 9, position_size: 0.4853 })),
      );
      network.on('moveStop', problem(409, 'The trade is closed'));
      drop(hand);
      const move = dialog('Move Stop').getByRole('button', { name: 'Move Stop' });
      await expect.element(move).toBeEnabled();
      const next = { ...entered, trade_id: idOf(901) };
      network.on('chartOverlays', { trades: [{ ...entered, status: 'closed', exit_price: 98 }, next], stops: [], avwap: [] });
      const polls = network.of('chartOverlays').length;
      await expect.poll(() => network.of('chartOverlays').length).toBeGreaterThan(polls + 1); // the first of them is there
      await move.click();
      await expect.poll(() => network.of('moveStop').map(({ path }) => path)).toEqual([expect.stringContaining(trade.trade_id)]);
    });
  });
});

describe('how old a price is', () => {
  const old = somePnl({
    current_price: 2080,
    unrealized_pnl: 9,
    position_size: 0.4853,
    price_time: 1_763_683_200_000,
    price_age_ms: 420_000,
  });
  const stale = /^stale, 7m \d+s old$/u;

  test.each([
    ['Close Trade', 'Close now'],
    ['Take Out', 'Take Out'],
    ['Add', 'Add'],
    ['Move Stop', 'Move Stop'],
  ])('OP-70 %s says it beside the price', async (title, opens) => {
    await openTrade((net) => net.on('pnlMetrics', { ...old, price_age_ms: undefined }));
    await button(opens).click();
    await expect.element(dialog(title).getByText('as of 00:00:00 UTC')).toBeVisible();
    network.on('pnlMetrics', old);
    await expect.element(dialog(title).getByText(/^\$2080\.00 stale, 7m \d+s old$/u)).toBeVisible();
  });

  test('OP-70 the page of the trade says it', async () => {
    await openTrade((net) => net.on('pnlMetrics', old));
    await expect.element(page.getByRole('region', { name: 'The trade' }).getByText(stale)).toBeVisible();
  });

  test('OP-70 a price that is not loaded any more grows old', async () => {
    await openTrade();
    await button('Close now').click();
    await expect.element(dialog('Close Trade').getByText(/^as of /u)).toBeVisible();
    network.on('pnlMetrics', problem(503));
    await expect.element(dialog('Close Trade').getByText(/^stale, 1\ds old$/u)).toBeVisible();
  });

  test('ADD-move-stop a stale price does not say that a stop is beyond it: the bot knows', async () => {
    await openTrade((net) => net.on('pnlMetrics', old).on('moveStop', asked));
    await button('Move Stop').click();
    const asking = dialog('Move Stop');
    await expect.element(asking.getByText(stale)).toBeVisible();
    await asking.getByRole('textbox', { name: 'Stop Price (USDT)' }).fill('2090');
    await expect.element(asking.getByText('The price has passed it already. Use Close now to leave.')).not.toBeInTheDocument();
    await asking.getByRole('button', { name: 'Move Stop' }).click();
    await expect.poll(() => bodies('moveStop')).toEqual([{ price: 2090 }]);
  });
});

describe('closed from the status', () => {
  const entered = { trade_id: trade.trade_id, timestamp: 1_763_683_200_000, direction: 'long', status: 'open', entry_price: 104 } as const;
  const openQuestion = async (answers: (network: Answerer) => Answerer = (same) => same) => {
    await open('', (net) =>
      answers(
        net
          .on('availableBots', { data: [{ ...asMonitored(aBot(1)), may_change: true }] })
          .on('chartOverlays', { trades: [entered], stops: [], avwap: [] })
          .on('closeTrade', () => {
            network.on('tradeOrders', someTradeOrders({ close_asked_at: '2026-11-21T19:04:00.000Z' }));
            return { trade_id: trade.trade_id, close_asked_at: '2026-11-21T19:04:00.000Z' };
          }),
      ),
    );
    await button('Close now').click();
  };

  test('an outage after it was asked is not a failure of it', async () => {
    await openQuestion();
    await dialog('Close Trade').getByRole('button', { name: 'Confirm' }).click();
    await expect.element(page.getByText('Closing at market, asked 19:04:00.')).toBeVisible();
    holdMoments(2000); // a toast stays
    network.on('tradeOrders', problem(503));
    const before = network.of('tradeOrders').length;
    await expect.poll(() => network.of('tradeOrders').length).toBeGreaterThan(before + 4); // a poll with its repeats, and the next one
    await expect.element(page.getByText('Closing at market, asked 19:04:00.')).toBeVisible();
    expect(page.getByText(/Failed to close the trade/u).elements()).toEqual([]);
  });

  test('a trade that cannot be loaded says so, and nothing is asked', async () => {
    await expectToast('Failed to close the trade: Trade not found', () =>
      openQuestion((net) => net.on('tradeOrders', problem(404, 'Trade not found'))),
    );
    await expect.element(dialog('Close Trade')).not.toBeInTheDocument();
    await expect.element(button('Close now')).toBeEnabled();
  });
});
