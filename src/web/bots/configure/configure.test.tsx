import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import { otherMode } from '#contract/bots.ts';
import { texts } from '#contract/errors.ts';
import type { Role } from '#contract/fields.ts';
import { changeAddress } from '../../address/address.ts';
import type { Answerer } from '../../testing/answerer.ts';
import { problem } from '../../testing/answerer.ts';
import { expectToGoAfter, holdMoments, pass } from '../../testing/held-time.ts';
import { aBot, aBotConfig, asLive, liveOf } from '../../testing/samples/bots.ts';
import { expectNoFurtherTry } from '../../testing/cancelled-question.ts';
import { idOf } from '../../testing/samples/ids.ts';
import { aDrill, aLiveCheck } from '../../testing/samples/live-check.ts';
import { aStrategy } from '../../testing/samples/strategies.ts';
import { aManagedUser, anApiKey, aUser } from '../../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../../testing/test-page.tsx';
import { expectToast } from '../../testing/toasts.ts';
import { hasDraft } from './draft-store.ts';

let network: Answerer;
beforeAll(() => page.viewport(1440, 1100));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const stored = { trading_pairs: ['BTC/USDT'], stake_amount: 500, version: 7 };
const open = async (bot: number | null, answers: (network: Answerer) => Answerer = (same) => same, role: Role = 'trader') => {
  network = answers(
    answerFor(aUser(role))
      .on('listBots', [aBot(1, stored)])
      .on('getBot', aBotConfig(aBot(1, stored)))
      .on('listStrategies', { strategies: [aStrategy(1), aStrategy(2)] })
      .on('listExchanges', {
        exchanges: [
          { id: 'sandbox', name: 'Sandbox' },
          { id: 'kraken', name: 'Kraken' },
        ],
      })
      .on('stakeCurrencies', ({ path }) => ({ stake_currencies: path.includes('kraken') ? ['EUR', 'USD'] : ['BTC', 'USDT'] }))
      .on('tradingPairs', ({ query }) => ({ trading_pairs: ['A', 'B', 'C', 'D'].map((base) => `${base}/${query['stake_currency']}`) })),
  );
  startPage('/');
  await render(<TestPage path="/" search={`?tab=bot_control&view=configure${bot === null ? '' : `&bot=${idOf(100 + bot)}`}`} />);
  await expect.element(page.getByRole('heading', { name: bot === null ? 'Create New Bot' : 'Edit Bot' })).toBeVisible();
};
const twoBots = [aBot(1, stored), aBot(2, stored)];
const ofTwo = ({ path }: { path: string }) => aBotConfig(aBot(path.endsWith(idOf(102)) ? 2 : 1, stored));
const select = (name: string) => page.getByRole('combobox', { name, exact: true });
const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const says = (text: string) => expect.element(page.getByText(text, { exact: true }).first()).toBeVisible();
const choose = async (name: string, option: string) => {
  await select(name).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};
const pills = () => [...document.querySelectorAll('[data-field="pairs"] .mantine-Pill-label')].map((pill) => pill.textContent);
const options = async (name: string) => {
  await select(name).click();
  const texts = page
    .getByRole('option')
    .elements()
    .map((option) => option.textContent);
  await userEvent.keyboard('{Escape}');
  return texts;
};
const body = (name: Parameters<Answerer['of']>[0]) => network.of(name).at(-1)?.body;

describe('a new bot', () => {
  test('BOTCFG-01, BOTCFG-04, BOTCFG-06, BOTCFG-11, BOTCFG-13, BOTCFG-18, BOTCFG-19, BOTCFG-20, BOTCFG-21, BOTCFG-22, BOTCFG-23, BOTCFG-28, BOTCFG-30, DATA-09, OP-76 sections and defaults', async () => {
    await open(null);
    for (const legend of ['General Settings', 'Trading Settings', 'Leverage and Margin']) await says(legend);
    await expect.element(page.getByText('Performance Metrics')).not.toBeInTheDocument(); // BOTCFG-16
    await expect.element(page.getByText('API Key Settings')).not.toBeInTheDocument(); // BOTCFG-14
    await expect.poll(pills).toEqual(['A/USDT', 'B/USDT', 'C/USDT']);
    await expect.element(select('Exchange')).toHaveValue('Sandbox');
    await expect.element(select('Strategy')).toHaveValue('Strategy 1');
    await expect.element(select('Market Type')).toHaveValue('spot');
    await expect.element(select('Trading Mode')).toHaveValue('paper');
    await expect.element(select('Stake Currency')).toHaveValue('USDT');
    await expect.element(field('Stake Amount')).toHaveValue('100');
    await expect.element(field('Max Open Trades')).toHaveValue('3');
    await expect.element(field('Leverage')).toHaveValue('1');
    await expect.element(select('Leverage Mode')).toHaveValue('isolated');
    await says('The bot is created paused.');
    for (const text of ['5m', '-10.00%', '5']) await says(text);
    expect(await options('Market Type')).toEqual(['spot', 'margin', 'futures']); // BOTCFG-09
    expect(await options('Trading Mode')).toEqual(['paper', 'live']); // BOTCFG-10
    expect(await options('Leverage Mode')).toEqual(['isolated', 'cross']);
  });

  test('Enter takes the pair that was found, and never sends the form', async () => {
    await open(null, (net) => net.on('createBot', problem(500)));
    await expect.poll(pills).toEqual(['A/USDT', 'B/USDT', 'C/USDT']);
    await select('Trading Pairs').fill('d/');
    await userEvent.keyboard('{Enter}');
    await expect.poll(pills).toEqual(['A/USDT', 'B/USDT', 'C/USDT', 'D/USDT']);
    for (const name of ['Trading Pairs', 'Strategy']) {
      await select(name).click();
      await userEvent.keyboard('{Escape}{Enter}{Escape}');
    }
    for (const name of ['Stake Amount', 'Max Open Trades', 'Leverage']) {
      await field(name).click();
      await userEvent.keyboard('{Enter}');
    }
    await select('Trading Pairs').fill('no such pair');
    await userEvent.keyboard('{Enter}');
    expect(network.of('createBot')).toEqual([]);
    await press('Create Bot');
    await expect.poll(() => network.of('createBot').length).toBe(1);
  });

  test('BOTCFG-28 without USDT the first currency; BOTCFG-24, BOTCFG-25, BOTCFG-26, BOTCFG-27, BOTCFG-29 the cascade', async () => {
    await open(null);
    await expect.poll(pills).toEqual(['A/USDT', 'B/USDT', 'C/USDT']);
    await choose('Stake Currency', 'BTC');
    await expect.poll(pills).toEqual(['A/BTC', 'B/BTC', 'C/BTC']);
    await choose('Market Type', 'futures');
    await expect.poll(pills).toEqual(['A/USDT', 'B/USDT', 'C/USDT']);
    expect(network.of('stakeCurrencies').at(-1)).toMatchObject({
      path: '/exchanges/sandbox/stake_currencies',
      query: { market_type: 'futures' },
    });
    await choose('Exchange', 'Kraken');
    await expect.element(select('Stake Currency')).toHaveValue('EUR');
    await expect.poll(pills).toEqual(['A/EUR', 'B/EUR', 'C/EUR']);
    expect(network.of('tradingPairs').at(-1)).toMatchObject({
      path: '/exchanges/kraken/trading_pairs',
      query: { market_type: 'futures', stake_currency: 'EUR' },
    });
  });

  test('BOTCFG-31, BOTCFG-32, BOTCFG-33, ERR-21 what waits is disabled and says for what; lists that do not load are empty', async () => {
    await open(null, (net) => net.on('listExchanges', problem(403)));
    for (const name of ['Market Type', 'Stake Currency', 'Trading Pairs']) await expect.element(select(name)).toBeDisabled();
    await says('Choose an exchange first');
    expect(network.of('stakeCurrencies')).toEqual([]);
    expect(page.getByRole('alert').elements()).toEqual([]);
    await press('Create Bot');
    await expect.element(page.getByRole('alert')).toHaveTextContent('Exchange is required');
    expect(network.of('createBot')).toEqual([]);
  });

  test('a slower answer of an earlier exchange does not fill the lists of the later one', async () => {
    let late = () => {};
    await open(null, (net) =>
      net.on('stakeCurrencies', ({ path }) =>
        path.includes('kraken')
          ? { stake_currencies: ['EUR'] }
          : new Promise((resolve) => (late = () => resolve({ stake_currencies: ['USDT'] }))),
      ),
    );
    await expect.poll(() => network.of('stakeCurrencies').length).toBe(1);
    await choose('Exchange', 'Kraken');
    await expect.poll(pills).toEqual(['A/EUR', 'B/EUR', 'C/EUR']);
    late();
    await expect.element(select('Stake Currency')).toHaveValue('EUR');
    expect(await options('Stake Currency')).toEqual(['EUR']);
    expect(network.of('tradingPairs').every(({ path }) => path.includes('kraken'))).toBe(true);
  });

  test('BOTCFG-38, VALID-42, ERR-42, API-33, BOTS-34 creating sends exactly its fields, once though clicked twice', async () => {
    holdMoments(2000);
    const release: (() => void)[] = [];
    await open(null);
    network.on('createBot', () => new Promise((resolve) => release.push(() => resolve(aBot(3)))));
    await field('Nickname').fill('Mine');
    await expect.poll(pills).toHaveLength(3);
    const button = page.getByRole('button', { name: 'Create Bot' }).element() as HTMLButtonElement;
    button.click();
    button.click();
    await expect.poll(() => release.length).toBe(1);
    await expect.element(page.getByRole('button', { name: 'Create Bot' })).toBeDisabled();
    network.on('listBots', [aBot(1), aBot(3)]).on('getBot', aBotConfig(aBot(3)));
    release[0]?.();
    await says('Bot created successfully');
    await expect.element(page.getByRole('heading', { name: 'Edit Bot' })).toBeVisible();
    expect(network.of('createBot')).toHaveLength(1);
    expect(body('createBot')).toEqual({
      user_email: 'trader@flotilla.example',
      strategy_id: aStrategy(1).id,
      exchange_id: 'sandbox',
      nickname: 'Mine',
      stake_currency: 'USDT',
      stake_amount: 100,
      mode: 'paper',
      trading_pairs: ['A/USDT', 'B/USDT', 'C/USDT'],
      max_open_trades: 3,
      leverage: 1,
      leverage_mode: 'isolated',
      margin_mode: 'spot',
    });
    expect(network.of('listBots').length).toBeGreaterThan(1);
  });

  test('BOTCFG-14, BOTCFG-15, BOTCFG-40, OP-31, VALID-39, VALID-40 a live bot: first its key, then the bot; a key that is stored is not sent again', async () => {
    await open(null);
    await expect.poll(pills).toHaveLength(3);
    await choose('Trading Mode', 'live');
    await says('API Key Settings');
    for (const name of ['Key', 'Secret', 'Passphrase (optional)'])
      await expect.element(page.getByLabelText(name, { exact: true })).toHaveAttribute('type', 'password');
    await press('Create Bot');
    await expect.element(page.getByRole('alert')).toHaveTextContent('API key and secret are required for live mode');
    await expect.element(page.getByLabelText('Key', { exact: true })).toHaveFocus();
    await page.getByLabelText('Key', { exact: true }).fill('the key');
    await page.getByLabelText('Secret', { exact: true }).fill('the secret');
    network
      .on('addApiKey', { id: idOf(7), exchange: 'sandbox', label: null, last_used: null })
      .on('createBot', problem(403, 'Not verified'));
    await press('Create Bot');
    await says('Failed to save bot: Not verified');
    expect(body('addApiKey')).toEqual({ exchange_id: 'sandbox', key: 'the key', secret: 'the secret' });
    network.on('createBot', aBot(3));
    await expect.element(page.getByRole('button', { name: 'Create Bot' })).toBeEnabled();
    await expectToast('Bot created successfully', () => press('Create Bot'));
    expect(network.of('addApiKey')).toHaveLength(1);
    const names = network.calls.map(({ name }) => name).filter((name) => name === 'addApiKey' || name === 'createBot');
    expect(names).toEqual(['addApiKey', 'createBot', 'createBot']);
    expect(network.of('createBot')[1]?.body).toMatchObject({ mode: 'live', api_key_id: idOf(7) }); // the key is named
  });

  test('a key that is entered in place of one that is stored already is the one of the bot', async () => {
    await open(null);
    await expect.poll(pills).toHaveLength(3);
    await choose('Trading Mode', 'live');
    await page.getByLabelText('Key', { exact: true }).fill('the key');
    await page.getByLabelText('Secret', { exact: true }).fill('the secret');
    network
      .on('addApiKey', { id: idOf(7), exchange: 'sandbox', label: null, last_used: null })
      .on('createBot', problem(403, 'Not verified'));
    await press('Create Bot');
    await says('Failed to save bot: Not verified');
    await page.getByLabelText('Key', { exact: true }).fill('of another account');
    network.on('addApiKey', { id: idOf(8), exchange: 'sandbox', label: null, last_used: null }).on('createBot', aBot(3));
    await expectToast('Bot created successfully', () => press('Create Bot'));
    expect(network.of('addApiKey').map(({ body }) => (body as { key: string }).key)).toEqual(['the key', 'of another account']);
    expect(body('createBot')).toMatchObject({ api_key_id: idOf(8) });
  });

  test('OP-82 a bot whose making got no answer is asked for again with its key: the server makes it once', async () => {
    await open(null, (net) => net.on('createBot', problem(504)));
    await expect.poll(pills).toHaveLength(3);
    await press('Create Bot');
    await says('Failed to save bot: Something went wrong. Please try again.');
    network.on('createBot', aBot(3));
    await expect.element(page.getByRole('button', { name: 'Create Bot' })).toBeEnabled();
    await expectToast('Bot created successfully', () => press('Create Bot'));
    expect(network.of('createBot')).toHaveLength(2);
    const [first, second] = network.of('createBot').map(({ headers }) => headers.get('idempotency-key'));
    expect(second).toBe(first);
  });

  test('a key of the person for the exchange is chosen instead of being entered again', async () => {
    const keys = [anApiKey(7, { exchange: 'sandbox', label: 'second account' }), anApiKey(8, { exchange: 'kraken', label: 'elsewhere' })];
    await open(null, (net) => net.on('listApiKeys', keys));
    await expect.poll(pills).toHaveLength(3);
    await choose('Trading Mode', 'live');
    await select('Stored Key').click();
    await expect.element(page.getByRole('option', { name: /elsewhere/u })).not.toBeInTheDocument();
    await page.getByRole('option', { name: 'second account (****b07e)' }).click();
    await expect.element(page.getByLabelText('Secret', { exact: true })).not.toBeInTheDocument();
    network.on('createBot', aBot(3));
    await expectToast('Bot created successfully', () => press('Create Bot'));
    expect(network.of('createBot')[0]?.body).toMatchObject({ mode: 'live', api_key_id: idOf(957) });
    expect(network.of('addApiKey')).toEqual([]);
  });

  test('one press gives the form a key of the sandbox; a key that others trade with says so', async () => {
    const used = { id: idOf(102), nickname: 'Bot 2', mode: 'live', status: 'active' } as const;
    const keys = [anApiKey(7, { exchange: 'sandbox', label: 'main', bots: [used] })];
    await open(null, (net) => net.on('listApiKeys', keys));
    await choose('Trading Mode', 'live');
    await choose('Stored Key', 'main (****b07e), account of Bot 2');
    await says('Shares its account with Bot 2.');
    network
      .on('newSandboxKey', { key: 'key-a1b2', secret: 'sandbox secret' })
      .on('addApiKey', { id: idOf(958), exchange: 'sandbox', label: null, last_used: null })
      .on('createBot', aBot(3));
    network.on('listApiKeys', [anApiKey(8, { exchange: 'sandbox', key_hint: 'a1b2' }), ...keys]);
    await press('Get a Sandbox Key');
    await expect.element(select('Stored Key')).toHaveValue('****a1b2');
    await expect.element(page.getByText('Shares its account with Bot 2.')).not.toBeInTheDocument();
    expect(network.of('addApiKey').map(({ body }) => body)).toEqual([
      { key: 'key-a1b2', secret: 'sandbox secret', exchange_id: 'sandbox' },
    ]);
    await expectToast('Bot created successfully', () => press('Create Bot'));
    expect(body('createBot')).toMatchObject({ mode: 'live', api_key_id: idOf(958) });
  });

  test('OP-31 a live bot that goes to another exchange is sent there together with its key of there', async () => {
    const api_key = { label: 'main', key: '****9f3C', secret: '********', passphrase: null };
    const live = aBot(1, { ...stored, mode: 'live' });
    await open(1, (net) => net.on('getBot', aBotConfig(live, { api_key })).on('listBots', [live]));
    await choose('Exchange', 'Kraken');
    await expect.poll(pills).toHaveLength(0);
    await choose('Stake Currency', 'EUR');
    await select('Trading Pairs').fill('A/');
    await page.getByRole('option', { name: 'A/EUR' }).click();
    await page.getByLabelText('Key', { exact: true }).fill('the key');
    await page.getByLabelText('Secret', { exact: true }).fill('the secret');
    network.on('addApiKey', { id: idOf(7), exchange: 'kraken', label: null, last_used: null }).on('updateBot', live);
    await expectToast('Bot updated successfully', () => press('Update Bot'));
    const sent = network.calls.map(({ name }) => name).filter((name) => ['updateBot', 'addApiKey'].includes(name));
    expect(sent).toEqual(['addApiKey', 'updateBot']);
    expect(network.of('addApiKey')[0]?.body).toEqual({ exchange_id: 'kraken', key: 'the key', secret: 'the secret' });
    expect(network.of('updateBot')[0]?.body).toMatchObject({ exchange_id: 'kraken', api_key_id: idOf(7) });
  });

  test('BOTCFG-07, BOTCFG-08, VALID-41, VALID-42 admins name the owner and get suggestions; others do not see the field', async () => {
    await open(null, (net) => net.on('listUsers', [aManagedUser(1, { email: 'kim@flotilla.example' })]), 'admin');
    await expect.poll(pills).toHaveLength(3);
    await expect.element(select('User Email')).toHaveValue(aUser('admin').email); // most make one of their own
    await select('User Email').fill('');
    await press('Create Bot');
    await expect.element(page.getByRole('alert')).toHaveTextContent('User email is required');
    await select('User Email').fill('kim');
    await page.getByRole('option', { name: 'kim@flotilla.example' }).click();
    network.on('createBot', aBot(3));
    await expectToast('Bot created successfully', () => press('Create Bot'));
    expect(body('createBot')).toMatchObject({ user_email: 'kim@flotilla.example' });
    await cleanup();
    network.stop();
    await open(null);
    await expect.element(select('User Email')).not.toBeInTheDocument();
    expect(network.of('listUsers')).toEqual([]);
  });

  test('BOTCFG-34, BOTCFG-35, BOTCFG-36, BOTCFG-37 numbers take digits and a period, and are put right when left', async () => {
    await open(null);
    for (const [name, typed, held, left] of [
      ['Stake Amount', '-1e50.5x', '150.5', '150.5'],
      ['Stake Amount', '12,5', '12.5', '12.5'],
      ['Leverage', '1,5', '1.5', '1.5'],
      ['Max Open Trades', '99', '99', '3'],
      ['Leverage', '0', '0', '1'],
    ] as const) {
      await field(name).fill('');
      await field(name).click();
      await userEvent.keyboard(typed);
      await expect.element(field(name)).toHaveValue(held);
      await userEvent.tab();
      await expect.element(field(name)).toHaveValue(left);
    }
    await field('Stake Amount').fill('0');
    await userEvent.tab();
    await expect.element(field('Stake Amount')).toHaveValue('100');
  });

  test('BOTCFG-12 pairs are found by typing, taken and dropped; dropping all leaves none', async () => {
    await open(null);
    await expect.poll(pills).toHaveLength(3);
    const input = page.getByRole('combobox', { name: 'Trading Pairs' });
    await input.fill('d/');
    await page.getByRole('option', { name: 'D/USDT' }).click();
    await expect.poll(pills).toEqual(['A/USDT', 'B/USDT', 'C/USDT', 'D/USDT']);
    await input.click();
    await userEvent.keyboard('{Escape}{Backspace}{Backspace}{Backspace}{Backspace}');
    await expect.poll(pills).toEqual([]);
    await press('Create Bot');
    await expect.element(page.getByRole('alert')).toHaveTextContent('At least one trading pair is required');
  });

  test('ERR-13, ERR-16, OP-79 limits and users that do not load are said above', async () => {
    await open(null, (net) => net.on('getSetting', problem(404, 'Setting not found')).on('listUsers', problem(403, 'No')), 'admin');
    await says('Failed to load server config: Setting not found');
    await says('Failed to load data. Please try again.');
    await expect.element(field('Max Open Trades')).toHaveValue('3');
  });
});

describe('an existing bot', () => {
  test('BOTCFG-02, BOTCFG-05, BOTCFG-16, BOTCFG-17, BOTCFG-41, OP-30, OP-32 what is shown and what is locked', async () => {
    await open(
      1,
      (net) => net.on('getBot', aBotConfig(aBot(1, stored), { effective_timeframe: '15m', effective_stoploss: -0.02 })),
      'admin',
    );
    await expect.element(page.getByRole('button', { name: 'Update Bot' })).toBeVisible();
    await expect.element(select('User Email')).toBeDisabled();
    await expect.element(select('Strategy')).toBeDisabled();
    await expect.element(select('Strategy')).toHaveValue('EMA Cross');
    for (const text of ['15m', '-2.00%', '2.00% at once']) await says(text);
    const metrics = page.getByRole('region', { name: 'Performance Metrics' }).element();
    expect([...metrics.querySelectorAll('dl > div')].map((line) => [...line.children].map((cell) => cell.textContent).join(' '))).toEqual([
      'Current Balance $312.30',
      'Total PNL +$12.30',
      'PNL % +4.10%',
      'Total Trades 12',
      'Winning Trades 7',
      'Losing Trades 5',
      'Max Drawdown $3.00',
      'Max Drawdown % 1.00%',
      'Current Consecutive Losses 0 of 5',
      'Starting Balance $300.00',
    ]);
  });

  test('a bot that waits is activated from its form once nothing is left to save', async () => {
    holdMoments(2000);
    await open(1, (net) => net.on('listBots', [aBot(1, { ...stored, status: 'paused' })]));
    const activate = page.getByRole('button', { name: 'Activate', exact: true });
    await field('Stake Amount').fill('650');
    await expect.element(activate).not.toBeInTheDocument();
    await press('Discard');
    network.on('toggleBot', aBot(1, { ...stored, status: 'active' }));
    await activate.click();
    await page.getByRole('dialog', { name: 'Activate Bot' }).getByRole('button', { name: 'Confirm' }).click();
    await expect.poll(() => network.of('toggleBot').map(({ query }) => query['status'])).toEqual(['active']);
    await says('Bot active successfully');
  });

  test('a reload is asked about while something is typed, and only then', async () => {
    const isAsked = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
    await open(1);
    expect(isAsked()).toBe(false);
    await field('Stake Amount').fill('650');
    expect(isAsked()).toBe(true);
    await press('Discard');
    expect(isAsked()).toBe(false);
  });

  test('BOTCFG-39, ERR-41, API-34 updating sends exactly its fields and the version they were read at', async () => {
    await open(1);
    await field('Stake Amount').fill('650');
    await says('was 500');
    await says('1 change, applies from the next candle');
    network.on('updateBot', aBot(1, { ...stored, stake_amount: 650, version: 8 }));
    network.on('getBot', aBotConfig(aBot(1, { ...stored, stake_amount: 650, version: 8 })));
    await expectToast('Bot updated successfully', () => press('Update Bot'));
    await says('No changes');
    expect(network.of('updateBot')[0]?.headers.get('if-match')).toBe('"7"');
    expect(network.of('updateBot')[0]?.query).toEqual({ mode: 'paper' }); // the mode that the band above the form has shown
    expect(body('updateBot')).toEqual({
      nickname: 'Bot 1',
      exchange_id: 'sandbox',
      stake_currency: 'USDT',
      stake_amount: 650,
      trading_pairs: ['BTC/USDT'],
      max_open_trades: 3,
      leverage: 1,
      leverage_mode: 'isolated',
      margin_mode: 'spot',
    });
    expect(network.of('changeBotMode')).toEqual([]);
  });

  test('what is typed while the bot is being saved stays, over what is saved, and the next press saves it', async () => {
    await open(1);
    await field('Stake Amount').fill('650');
    const answer = Promise.withResolvers<ReturnType<typeof aBot>>();
    network.on('updateBot', () => answer.promise);
    await press('Update Bot');
    await expect.poll(() => network.of('updateBot').length).toBe(1);
    await field('Max Open Trades').fill('1');
    network.on('getBot', aBotConfig(aBot(1, { ...stored, stake_amount: 650, version: 8 })));
    answer.resolve(aBot(1, { ...stored, stake_amount: 650, version: 8 }));
    await says('Bot updated successfully');
    await says('1 change, applies from the next candle');
    await expect.element(field('Max Open Trades')).toHaveValue('1');
    await expect.element(field('Stake Amount')).toHaveValue('650');
    await press('Update Bot');
    await expect.poll(() => network.of('updateBot').length).toBe(2);
    expect(body('updateBot')).toMatchObject({ stake_amount: 650, max_open_trades: 1 });
    expect(network.of('updateBot')[1]?.headers.get('if-match')).toBe('"8"');
  });

  test('what is typed about another bot while one is being saved stays', async () => {
    await open(1, (net) => net.on('listBots', twoBots).on('getBot', ofTwo));
    await field('Stake Amount').fill('650');
    const answer = Promise.withResolvers<ReturnType<typeof aBot>>();
    network.on('updateBot', () => answer.promise);
    await press('Update Bot');
    await expect.poll(() => network.of('updateBot').length).toBe(1);
    changeAddress({ bot: idOf(102) });
    await expect.element(field('Nickname')).toHaveValue('Bot 2');
    await field('Stake Amount').fill('70');
    answer.resolve(aBot(1, { ...stored, stake_amount: 650, version: 8 }));
    await says('Bot updated successfully');
    await expect.element(field('Nickname')).toHaveValue('Bot 2');
    await expect.element(field('Stake Amount')).toHaveValue('70');
  });

  test('a new bot that is made late takes nobody away from another one, nor what is typed there', async () => {
    await open(null, (net) => net.on('listBots', twoBots).on('getBot', ofTwo));
    await expect.poll(pills).toHaveLength(3);
    const answer = Promise.withResolvers<ReturnType<typeof aBot>>();
    network.on('createBot', () => answer.promise);
    await press('Create Bot');
    await expect.poll(() => network.of('createBot').length).toBe(1);
    changeAddress({ bot: idOf(102) });
    await expect.element(field('Nickname')).toHaveValue('Bot 2');
    await field('Stake Amount').fill('70');
    const lists = network.of('listBots').length;
    network.on('listBots', [...twoBots, aBot(3, stored)]);
    await expectToast('Bot created successfully', () => Promise.resolve(answer.resolve(aBot(3, stored))));
    await expect.poll(() => network.of('listBots').length).toBeGreaterThan(lists);
    await pass(0); // what follows the list
    await says('1 change, applies from the next candle');
    await expect.element(field('Nickname')).toHaveValue('Bot 2');
    await expect.element(field('Stake Amount')).toHaveValue('70');
    expect(page.getByTestId('address').element().getAttribute('data-search')).toContain(`bot=${idOf(102)}`);
  });

  test('a new bot that is made while another tab is shown is not in the form any more', async () => {
    await open(null);
    await expect.poll(pills).toHaveLength(3);
    const answer = Promise.withResolvers<ReturnType<typeof aBot>>();
    network.on('createBot', () => answer.promise);
    await field('Nickname').fill('Made');
    await press('Create Bot');
    await expect.poll(() => network.of('createBot').length).toBe(1);
    changeAddress({ view: null });
    await expect.element(page.getByRole('heading', { name: 'Create New Bot' })).not.toBeInTheDocument();
    await expectToast('Bot created successfully', () => Promise.resolve(answer.resolve(aBot(3, stored))));
    await expect.poll(() => hasDraft()).toBe(false);
    changeAddress({ view: 'configure' });
    await expect.element(field('Nickname')).toHaveValue('');
  });

  test('a key of the sandbox that comes late drops nothing that is typed about another bot', async () => {
    await open(null, (net) => net.on('listBots', twoBots).on('getBot', ofTwo));
    const key = Promise.withResolvers<{ key: string; secret: string }>();
    network.on('newSandboxKey', () => key.promise).on('addApiKey', { id: idOf(958), exchange: 'sandbox', label: null, last_used: null });
    await choose('Trading Mode', 'live');
    await press('Get a Sandbox Key');
    await expect.poll(() => network.of('newSandboxKey').length).toBe(1);
    changeAddress({ bot: idOf(102) });
    await expect.element(field('Nickname')).toHaveValue('Bot 2');
    await field('Stake Amount').fill('70');
    await expectToast('A sandbox key is stored', () => Promise.resolve(key.resolve({ key: 'key-a1b2', secret: 'sandbox secret' })));
    await expect.element(field('Nickname')).toHaveValue('Bot 2');
    await expect.element(field('Stake Amount')).toHaveValue('70');
  });

  test('a key of the sandbox that comes late is not chosen for another exchange', async () => {
    await open(null);
    const key = Promise.withResolvers<{ key: string; secret: string }>();
    network.on('newSandboxKey', () => key.promise).on('addApiKey', { id: idOf(958), exchange: 'sandbox', label: null, last_used: null });
    await choose('Trading Mode', 'live');
    await press('Get a Sandbox Key');
    await expect.poll(() => network.of('newSandboxKey').length).toBe(1);
    await choose('Exchange', 'Kraken');
    await page.getByLabelText('Key', { exact: true }).fill('my own key');
    await expectToast('A sandbox key is stored', () => Promise.resolve(key.resolve({ key: 'key-a1b2', secret: 'sandbox secret' })));
    await expect.element(page.getByLabelText('Key', { exact: true })).toHaveValue('my own key');
  });

  test('what is typed while a new bot is being made stays as a change of that bot', async () => {
    await open(null);
    await expect.poll(pills).toEqual(['A/USDT', 'B/USDT', 'C/USDT']);
    const answer = Promise.withResolvers<ReturnType<typeof aBot>>();
    network.on('createBot', () => answer.promise);
    await field('Nickname').fill('Made');
    await press('Create Bot');
    await expect.poll(() => network.of('createBot').length).toBe(1);
    await field('Stake Amount').fill('70');
    answer.resolve(aBot(1, stored));
    await expect.element(page.getByRole('heading', { name: 'Edit Bot' })).toBeVisible();
    await expect.element(field('Stake Amount')).toHaveValue('70');
    await says('was 500');
    await says('1 change, applies from the next candle');
  });

  test('BOTS-29 the question before it trades live counts the stop as it will be saved, and no drill of the old settings', async () => {
    const check = { ...aLiveCheck(), drill: aDrill({ is_current: true, orders: 12 }) };
    const api_key = { label: 'main', key: '****9f3c', secret: '********', passphrase: null };
    const bot = aBot(1, { ...stored, stoploss: -0.1, strategy_id: aStrategy(1).id });
    await open(1, (net) => net.on('liveCheck', check).on('listBots', [bot]).on('getBot', aBotConfig(bot, { api_key })));
    const asked = page.getByRole('dialog', { name: 'Change Bot Mode' });
    await choose('Trading Mode', 'live');
    await press('Update Bot');
    await expect.element(asked.getByText('-$50.00', { exact: true })).toBeVisible(); // a stake of 500 at the stop of its strategy
    await expect.element(asked.getByText('12 orders, no difference')).toBeVisible();
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await press('Set own Stop Loss');
    await field('Own Stop Loss').fill('50');
    await press('Update Bot');
    await expect.element(asked.getByText('-$250.00', { exact: true })).toBeVisible();
    await expect.element(asked.getByText(/^with other settings/u)).toBeVisible();
    await expect.element(asked.getByText(/these settings are not saved yet/u)).toBeVisible();
    await expect.element(asked.getByRole('button', { name: 'Run Again' })).toBeDisabled();
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await press('Inherit Stop Loss');
    await press('Update Bot');
    await expect.element(asked.getByText('-$50.00', { exact: true })).toBeVisible();
  });

  test('BOTCFG-24, BOTCFG-28 another exchange clears currency and pairs of an existing bot and chooses none', async () => {
    await open(1);
    await choose('Exchange', 'Kraken');
    await expect.element(select('Stake Currency')).toHaveValue('');
    expect(pills()).toEqual([]);
    await press('Update Bot');
    await expect.element(page.getByRole('alert')).toHaveTextContent('Stake currency is required');
  });

  test('BOTCFG-25, BOTCFG-26 another market type clears what was chosen, and so does another currency', async () => {
    await open(1);
    await expect.poll(pills).toEqual(['BTC/USDT']);
    await choose('Stake Currency', 'BTC');
    await expect.poll(pills).toEqual([]);
    await choose('Trading Pairs', 'A/BTC');
    await expect.poll(pills).toEqual(['A/BTC']);
    await choose('Market Type', 'futures');
    await expect.poll(pills).toEqual([]);
    await expect.element(select('Stake Currency')).toHaveValue('');
  });

  test('ADD-free-balance of an account that is not saved yet is not shown; of the stored one it is', async () => {
    const api_key = { label: 'main', key: '****9f3c', secret: '********', passphrase: null };
    await open(1, (net) => net.on('getBot', aBotConfig(aBot(1, stored), { api_key })));
    await choose('Trading Mode', 'live');
    await press('Update Bot');
    const asked = page.getByRole('dialog', { name: 'Change Bot Mode' });
    await expect.element(asked.getByText('9800.00 USDT')).toBeVisible();
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await choose('Stake Currency', 'BTC');
    await choose('Trading Pairs', 'A/BTC');
    await press('Update Bot');
    await expect.element(asked.getByText('not known before the changes are saved')).toBeVisible();
    expect(network.of('freeBalance')).toHaveLength(1);
  });

  test('OP-30, OP-31, BOTCFG-40 another mode is asked about, then changes, key and mode are sent in this order', async () => {
    await open(1);
    await choose('Trading Mode', 'live');
    await page.getByLabelText('Key', { exact: true }).fill('the key');
    await page.getByLabelText('Secret', { exact: true }).fill('the secret');
    await press('Update Bot');
    const asked = page.getByRole('dialog', { name: 'Change Bot Mode' });
    await expect.element(asked.getByText('Are you sure you want to change the bot mode to live?')).toBeVisible();
    await expect.element(asked.getByText('the one you have entered')).toBeVisible();
    await expect.element(asked.getByText('not known before the key is saved')).toBeVisible();
    expect(network.of('freeBalance')).toEqual([]); // of another key it would say nothing
    await expect.element(asked.getByText(/^If the stake of 500.00 USDT is lost/u)).toBeVisible();
    expect(network.of('updateBot')).toEqual([]);
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await expect.element(asked).not.toBeInTheDocument();
    expect(network.of('updateBot')).toEqual([]);
    network
      .on('updateBot', aBot(1, { ...stored, version: 8 }))
      .on('addApiKey', { id: idOf(7), exchange: 'sandbox', label: null, last_used: null, bot_version: 9 })
      .on('changeBotMode', problem(409, 'Bot has open trades'));
    await press('Update Bot');
    await asked.getByLabelText("Type the bot's name").fill('Bot 1');
    await expectToast('Failed to save bot: Bot has open trades', () => asked.getByRole('button', { name: 'Confirm' }).click());
    await expect.element(asked).not.toBeInTheDocument();
    await expect.element(select('Trading Mode')).toHaveValue('live');
    network.on('updateBot', aBot(1, { ...stored, version: 10 })).on('changeBotMode', aBot(1, { ...stored, mode: 'live', version: 10 }));
    await press('Update Bot');
    await asked.getByLabelText("Type the bot's name").fill('Bot 1');
    await expectToast('Bot updated successfully', () =>
      expectToast('Bot mode changed to live', () => asked.getByRole('button', { name: 'Confirm' }).click()),
    );
    const sent = network.calls.map(({ name }) => name).filter((name) => ['updateBot', 'addApiKey', 'changeBotMode'].includes(name));
    expect(sent).toEqual(['updateBot', 'addApiKey', 'changeBotMode', 'updateBot', 'changeBotMode']);
    expect(network.of('addApiKey')[0]?.body).toEqual({ exchange_id: 'sandbox', key: 'the key', secret: 'the secret', bot_id: idOf(101) });
    // Each step is about what the one before has left: nothing that somebody else changes in between goes live unseen.
    const versions = (name: 'updateBot' | 'addApiKey' | 'changeBotMode') => network.of(name).map(({ headers }) => headers.get('if-match'));
    expect(versions('updateBot')).toEqual(['"7"', '"9"']);
    expect(versions('addApiKey')).toEqual(['"8"']);
    expect(versions('changeBotMode')).toEqual(['"9"', '"10"']);
    expect(network.of('updateBot').map(({ query }) => query)).toEqual([{ mode: 'paper' }, { mode: 'paper' }]);
  });

  test('BOTCFG-40, API-36 from live to paper is not refused for other settings', async () => {
    const live = aBot(1, { ...stored, mode: 'live' });
    const api_key = { label: 'main', key: '****9f3C', secret: '********', passphrase: null };
    await open(1, (net) => net.on('getBot', aBotConfig(live, { api_key })).on('listBots', [live]));
    await choose('Trading Mode', 'paper');
    network.on('updateBot', aBot(1, { ...stored, mode: 'live', version: 8 })).on('changeBotMode', aBot(1, { ...stored, version: 8 }));
    await press('Update Bot');
    await expectToast('Bot mode changed to paper', () =>
      page.getByRole('dialog', { name: 'Change Bot Mode' }).getByRole('button', { name: 'Confirm' }).click(),
    );
    expect(network.of('updateBot')[0]?.query).toEqual({ mode: 'live' });
    expect(network.of('changeBotMode')[0]?.headers.has('if-match')).toBe(false);
  });

  test('OP-31 a stored key is shown masked and not sent again', async () => {
    const api_key = { label: 'main', key: '****9f3C', secret: '********', passphrase: null };
    const live = aBot(1, { ...stored, mode: 'live' });
    await open(1, (net) => net.on('getBot', aBotConfig(live, { api_key })).on('listBots', [live]));
    await expect.element(page.getByLabelText('Key', { exact: true })).toHaveValue('****9f3C');
    await says('real orders, simulated market'); // the band of a live bot
    await expect.element(field('Label')).toHaveValue('main');
    network.on('updateBot', live);
    await expectToast('Bot updated successfully', () => press('Update Bot'));
    expect(network.of('addApiKey')).toEqual([]);
  });

  test('ERR-19, OP-36 a refused change is a banner and a toast, and what was typed stays', async () => {
    holdMoments(2000);
    await open(1);
    await field('Nickname').fill('Other');
    network.on('updateBot', problem(409, 'Bot has open trades'));
    await press('Update Bot');
    await expect.poll(() => page.getByText('Failed to save bot: Bot has open trades').elements().length).toBe(2);
    await expect.element(field('Nickname')).toHaveValue('Other');
  });

  test('API-34 a bot that has gone live since its form was loaded is not changed; loading it again shows that it is live', async () => {
    await open(1);
    await says('simulated orders, simulated market');
    await field('Stake Amount').fill('650');
    network.on('updateBot', problem(409, otherMode));
    await press('Update Bot');
    await says(`Failed to save bot: ${otherMode}`);
    await expect.element(field('Stake Amount')).toHaveValue('650');
    const live = aBot(1, { ...stored, mode: 'live', status: 'paused' });
    const api_key = { label: 'main', key: '****9f3C', secret: '********', passphrase: null };
    network.on('getBot', aBotConfig(live, { api_key })).on('listBots', [live]);
    await press('Load Newest Values');
    await says('real orders, simulated market');
    await expect.element(page.getByRole('button', { name: 'Activate', exact: true })).toBeVisible(); // the list was loaded too
    await expect.element(field('Stake Amount')).toHaveValue('500');
    await expect.element(page.getByRole('button', { name: 'Load Newest Values' })).not.toBeInTheDocument();
    await field('Stake Amount').fill('650');
    network.on('updateBot', aBot(1, { ...stored, mode: 'live', version: 8 }));
    await press('Update Bot');
    await expect.poll(() => network.of('updateBot').map(({ query }) => query['mode'])).toEqual(['paper', 'live']);
  });

  test('API-35 what is activated from the form is what it shows; after a refusal it shows what is there now', async () => {
    const paused = { ...stored, status: 'paused' as const };
    const newer = aBot(1, { ...paused, stake_amount: 900, version: 8 });
    await open(1, (net) =>
      net
        .on('getBot', aBotConfig(aBot(1, paused)))
        .on('listBots', [newer]) // which is loaded more often than the form
        .on('toggleBot', () => {
          network.on('getBot', aBotConfig(newer)).on('toggleBot', newer);
          return problem(409, 'Somebody else has changed this meanwhile. Reload to see it.');
        }),
    );
    const activate = async () => {
      await press('Activate');
      await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
    };
    const versions = () => network.of('toggleBot').map(({ headers }) => headers.get('if-match'));
    await activate();
    await expect.poll(versions).toEqual(['"7"']);
    await expect.element(field('Stake Amount')).toHaveValue('900');
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
    await activate();
    await expect.poll(versions).toEqual(['"7"', '"8"']);
  });

  test('what somebody else has changed meanwhile is named; the newest values come on request', async () => {
    await open(1);
    await field('Nickname').fill('Mine');
    network.on('updateBot', problem(409, 'Somebody else has changed this meanwhile. Reload to see it.')).on('listBotVersions', [
      {
        version: 8,
        changed_at: '2026-11-21T10:00:00.000Z',
        changed_by: 'kim@flotilla.example',
        changes: [{ field: 'stake_amount', from: '500', to: '900' }],
        trades: 0,
        pnl: 0,
      },
    ]);
    await press('Update Bot');
    await says('2026-11-21 10:00:00 UTC, kim@flotilla.example: stake amount 500 → 900');
    await expect.element(field('Nickname')).toHaveValue('Mine');
    network.on('getBot', aBotConfig(aBot(1, { ...stored, stake_amount: 900, version: 8 })));
    await press('Load Newest Values');
    await expect.element(field('Stake Amount')).toHaveValue('900');
    await expect.element(field('Nickname')).toHaveValue('Bot 1');
    await expect.element(page.getByRole('button', { name: 'Load Newest Values' })).not.toBeInTheDocument();
  });

  test('OP-27, BOTS-24 Stop Bot asks and stops; a stopped bot has no such button', async () => {
    holdMoments(2000);
    await open(1, (net) => net.on('liveStatus', liveOf([asLive(aBot(1), { open_trades: 2 })])));
    await press('Stop Bot');
    const asked = page.getByRole('dialog', { name: 'Stop Bot' });
    await expect.element(asked.getByText('Are you sure you want to stop this bot?')).toBeVisible();
    await expect.element(asked.getByText('open trades are closed at market. It holds 2 open trades.', { exact: false })).toBeVisible();
    network.on('toggleBot', aBot(1, { status: 'stopped' })).on('listBots', [aBot(1, { status: 'stopped' })]);
    await asked.getByRole('button', { name: 'Confirm' }).click();
    await says('Bot stopped successfully');
    await expect.element(page.getByRole('button', { name: 'Stop Bot' })).not.toBeInTheDocument();
    expect(network.of('toggleBot')[0]).toMatchObject({ query: { status: 'stopped' } });
  });

  test('ERR-17 a bot that cannot be stopped says so in a banner that stays', async () => {
    holdMoments(2000);
    await open(1);
    network.on('toggleBot', problem(503, 'The database is away.'));
    await press('Stop Bot');
    await page.getByRole('dialog', { name: 'Stop Bot' }).getByRole('button', { name: 'Confirm' }).click();
    const text = page.getByText('Failed to toggle bot: The database is away.');
    await expect.poll(() => text.elements().length).toBe(2);
    await expectToGoAfter(2000, text, 1);
  });

  test('BOTCFG-03, BOTS-32 New Bot leaves the bot and resets the form; what is typed outlives another tab', async () => {
    await open(1);
    await field('Nickname').fill('Typed');
    await page.getByRole('tab', { name: 'PNL' }).click();
    await page.getByRole('tab', { name: 'Configure Bot' }).click();
    await expect.element(field('Nickname')).toHaveValue('Typed');
    await press('New Bot');
    await expect.element(page.getByRole('heading', { name: 'Create New Bot' })).toBeVisible();
    await expect.element(field('Nickname')).toHaveValue('');
    await says('No bot is selected');
  });

  test('a copy is a new paper bot with the settings of the first', async () => {
    await open(1);
    await press('Copy Bot');
    await expect.element(page.getByRole('heading', { name: 'Create New Bot' })).toBeVisible();
    await expect.element(field('Nickname')).toHaveValue('Bot 1 (copy)');
    await expect.element(field('Stake Amount')).toHaveValue('500');
    expect(pills()).toEqual(['BTC/USDT']);
    await expect.element(select('Trading Mode')).toHaveValue('paper');
    network.on('createBot', aBot(3));
    await expectToast('Bot created successfully', () => press('Create Bot'));
    expect(body('createBot')).toMatchObject({ nickname: 'Bot 1 (copy)', stake_amount: 500, trading_pairs: ['BTC/USDT'], mode: 'paper' });
  });

  test('390 px: no sideways scroll', async () => {
    await page.viewport(390, 844);
    await open(1);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
    await page.viewport(1440, 1100);
  });
});

describe('history', () => {
  const version = (number: number, field: string, from: string, to: string, trades = 2) => ({
    version: number,
    changed_at: `2026-11-1${number}T10:00:00.000Z`,
    changed_by: 'kim@flotilla.example',
    changes: from === '' ? [] : [{ field, from, to }],
    trades,
    pnl: number === 6 ? -17.54 : 41.07,
  });
  const versions = [version(7, 'stake_amount', '400', '500', 0), version(6, 'leverage', '2', '1'), version(1, '', '', '')];
  const openHistory = () => open(1, (net) => net.on('listBotVersions', versions));
  const cells = () =>
    page
      .getByRole('table', { name: 'History' })
      .getByRole('row')
      .elements()
      .slice(1)
      .map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent));

  test('who changed what when, with trades and profit under each version', async () => {
    await openHistory();
    await expect.element(page.getByRole('table', { name: 'History' })).toBeVisible();
    expect(cells()).toEqual([
      ['7', '2026-11-17 10:00:00', 'kim@flotilla.example', 'stake amount 400 → 500', '0', 'N/A', 'in use'],
      ['6', '2026-11-16 10:00:00', 'kim@flotilla.example', 'leverage 2 → 1', '2', '-$17.54', 'Restore'],
      ['1', '2026-11-11 10:00:00', 'kim@flotilla.example', 'created', '2', '+$41.07', 'Restore'],
    ]);
  });

  test('a restore that is cancelled while it is sent does not go out again, and the history is loaded again', async () => {
    await openHistory();
    const asked = page.getByRole('dialog', { name: 'Restore Version' });
    await press('Restore version 6');
    const histories = network.of('listBotVersions').length;
    await expectNoFurtherTry(network, 'restoreBotVersion', {
      confirm: () => asked.getByRole('button', { name: 'Restore Version 6' }).click(),
      cancel: () => asked.getByRole('button', { name: 'Cancel' }).click(),
      says: 'Cancelled: nothing more is sent. Version 6 may have been restored already: check the history.',
    });
    await expect.element(asked).not.toBeInTheDocument();
    expect(network.of('listBotVersions').length).toBeGreaterThan(histories);
  });

  test('a version is restored after a question, by the version that was seen; cancelling sends nothing', async () => {
    await openHistory();
    const asked = page.getByRole('dialog', { name: 'Restore Version' });
    await press('Restore version 6');
    await expect.element(asked.getByText('Restore Bot 1 to the settings of version 6?')).toBeVisible();
    await expect.element(asked.getByRole('list', { name: 'What is restored' })).toHaveTextContent('stake amount 500 → 400');
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await expect.element(asked).not.toBeInTheDocument();
    expect(network.of('restoreBotVersion')).toEqual([]);
    const restored = aBot(1, { ...stored, stake_amount: 400, version: 8 });
    network.on('restoreBotVersion', restored);
    await press('Restore version 6');
    network.on('getBot', aBotConfig(restored)).on('listBotVersions', [version(8, 'stake_amount', '500', '400', 0), ...versions]);
    await expectToast('Version 6 restored', () => asked.getByRole('button', { name: 'Restore Version 6' }).click());
    await expect.element(field('Stake Amount')).toHaveValue('400');
    await expect.poll(() => cells()[0]?.[6]).toBe('in use');
    expect(network.of('restoreBotVersion')).toHaveLength(1);
    expect(network.of('restoreBotVersion')[0]?.path).toBe(`/bots/${idOf(101)}/versions/6/restore`);
    expect(network.of('restoreBotVersion')[0]?.headers.get('if-match')).toBe('"7"');
    expect(network.of('restoreBotVersion')[0]?.query).toEqual({ mode: 'paper' });
  });

  test.each([otherMode, texts.changedMeanwhile])(
    'a version is not restored after "%s"; a second press is about the bot that is there, also while something is typed',
    async (refusal) => {
      await openHistory();
      await field('Nickname').fill('Mine');
      const asked = page.getByRole('dialog', { name: 'Restore Version' });
      network.on('restoreBotVersion', problem(409, refusal));
      await press('Restore version 6');
      await expect.element(asked.getByText(/The bot is in paper mode\./u)).toBeVisible();
      const live = aBot(1, { ...stored, mode: 'live', status: 'paused', version: 8 });
      network
        .on('getBot', aBotConfig(live))
        .on('listBots', [live])
        .on('listBotVersions', [version(8, 'stake_amount', '500', '900', 0), ...versions]);
      await expectToast(`Failed to restore version 6: ${refusal}`, () => asked.getByRole('button', { name: 'Restore Version 6' }).click());
      await expect.element(field('Nickname')).toHaveValue('Mine');
      await press('Restore version 6');
      await expect.element(asked.getByText(/The bot is live\./u)).toBeVisible();
      network.on('restoreBotVersion', aBot(1, { ...stored, mode: 'live', version: 9 }));
      await expectToast('Version 6 restored', () => asked.getByRole('button', { name: 'Restore Version 6' }).click());
      expect(network.of('restoreBotVersion')[1]?.query).toEqual({ mode: 'live' });
      expect(network.of('restoreBotVersion')[1]?.headers.get('if-match')).toBe('"8"');
    },
  );

  test('a version is restored to the bot that was asked about, also where it goes live meanwhile', async () => {
    await openHistory();
    network.on('restoreBotVersion', problem(409, otherMode));
    const asked = page.getByRole('dialog', { name: 'Restore Version' });
    await press('Restore version 6');
    await expect.element(asked.getByText(/The bot is in paper mode\./u)).toBeVisible();
    const live = aBot(1, { ...stored, mode: 'live', status: 'paused' });
    network.on('listBots', [live]).on('liveStatus', liveOf([asLive(live)]));
    await expect.poll(() => document.querySelector('[aria-label="Selected bot"] strong')?.textContent).toBe('testnet'); // behind the question
    await expect.element(asked.getByText(/The bot is in paper mode\./u)).toBeVisible();
    await asked.getByRole('button', { name: 'Restore Version 6' }).click();
    await expect.poll(() => network.of('restoreBotVersion').map(({ query }) => query)).toEqual([{ mode: 'paper' }]);
  });

  test('a version whose settings are in use cannot be restored: the question says that nothing changes, and what the strategy runs stays', async () => {
    const code = version(7, 'code_version', '1', '2', 0);
    await open(1, (net) =>
      net.on('listBotVersions', [code, version(6, 'leverage', '2', '1'), version(5, 'leverage', '1', '2'), version(1, '', '', '')]),
    );
    const asked = page.getByRole('dialog', { name: 'Restore Version' });
    await press('Restore version 6');
    const kept = 'The bot keeps the version of its strategy that it runs.';
    await expect
      .element(asked.getByText(`The bot has these settings already: nothing changes, and no version is made. ${kept}`))
      .toBeVisible();
    await expect.element(asked.getByText(/become a new version/u)).not.toBeInTheDocument();
    await expect.element(asked.getByRole('listitem')).not.toBeInTheDocument();
    await expect.element(asked.getByRole('button', { name: 'Restore Version 6' })).toBeDisabled();
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await press('Restore version 5');
    await expect.element(asked.getByRole('list', { name: 'What is restored' })).toHaveTextContent('leverage 1 → 2');
    await expect.element(asked.getByRole('listitem')).toBeVisible(); // the only one
    await expect
      .element(
        asked.getByText(
          `They are of 2026-11-15 10:00:00 UTC and become a new version, which applies from the next candle. ${kept} The bot is in paper mode.`,
        ),
      )
      .toBeVisible();
    await expect.element(asked.getByRole('button', { name: 'Restore Version 5' })).toBeEnabled();
    expect(network.of('restoreBotVersion')).toEqual([]);
  });

  test('a restore that is answered late drops nothing that is typed about another bot', async () => {
    await open(1, (net) => net.on('listBots', twoBots).on('getBot', ofTwo).on('listBotVersions', versions));
    const answer = Promise.withResolvers<ReturnType<typeof aBot>>();
    network.on('restoreBotVersion', () => answer.promise);
    await press('Restore version 6');
    await page.getByRole('dialog', { name: 'Restore Version' }).getByRole('button', { name: 'Restore Version 6' }).click();
    await expect.poll(() => network.of('restoreBotVersion').length).toBe(1);
    changeAddress({ bot: idOf(102) });
    await expect.element(field('Nickname')).toHaveValue('Bot 2');
    await field('Stake Amount').fill('70');
    await expectToast('Version 6 restored', () => Promise.resolve(answer.resolve(aBot(1, { ...stored, version: 8 }))));
    await expect.element(field('Nickname')).toHaveValue('Bot 2');
    await expect.element(field('Stake Amount')).toHaveValue('70');
  });

  test('a restore after which the version is that of before is not said to have restored anything', async () => {
    await openHistory();
    network.on('restoreBotVersion', aBot(1, { ...stored, version: 7 }));
    await press('Restore version 6');
    await expectToast('Nothing changed: version 6 is in use', () => page.getByRole('button', { name: 'Restore Version 6' }).click());
  });

  test('a restore that is refused says why; a history that does not load says so', async () => {
    await openHistory();
    network.on('restoreBotVersion', problem(409, 'Bot has open trades'));
    await press('Restore version 6');
    await expectToast('Failed to restore version 6: Bot has open trades', () =>
      page.getByRole('button', { name: 'Restore Version 6' }).click(),
    );
    await cleanup();
    network.stop();
    await open(1, (net) => net.on('listBotVersions', problem(403, 'Bot not found')));
    await says('Failed to load the history: Bot not found');
  });
});

test('an admin at a bot of somebody else sees which keys its owner has stored for its exchange, by name and end', async () => {
  const keyOf = (number: number, exchange_id: string, label: string | null) => ({
    id: idOf(900 + number),
    exchange: exchange_id,
    exchange_id,
    label,
    key_hint: `ab1${number}`,
    last_used: null,
  });
  const owner = { ...aManagedUser(2), id: idOf(77) };
  const bot = aBot(1, { user_id: idOf(77), email: owner.email });
  const keys = [keyOf(1, bot.exchange_id, 'Main'), keyOf(2, bot.exchange_id, null), keyOf(3, 'kraken', 'Elsewhere')];
  await open(
    1,
    (net) =>
      net
        .on('listBots', [bot])
        .on('getBot', aBotConfig(bot))
        .on('listUsers', [{ ...owner, api_keys: keys }]),
    'admin',
  );
  await expect.element(page.getByText(`Stored keys of ${owner.email} for this exchange: Main (****ab11), ****ab12`)).toBeVisible();
  expect(page.getByText('Elsewhere').elements()).toEqual([]);
});
