import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { plainRefusal } from '#engine/ports/plain-refusal.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { MarginSettings, Trading } from '#engine/ports/trading.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import type { EntryRefusal, StoredOrder } from '#storage/orders/order-outbox.ts';
import { expect, test } from 'vitest';
import type { MarginDifference } from './margin-settings.ts';
import { SymbolMargins } from './margin-settings.ts';

const symbol = 'BTC/USDT:USDT';
const setAndRead = ['setMarginMode', 'setLeverage', 'marginSettings'];

/** An exchange that notes what is asked of it, and of which some answers are replaced. */
function rig(replaced: Partial<Trading> = {}) {
  const venue = new InMemoryVenue({
    accountId: 'a',
    instruments: [anInstrument({ symbol, marketType: 'futures', maxLeverage: 20 })],
    balances: { USDT: 1_000 },
    time: 0,
    remembersIds: 'always',
    feeCurrency: 'quote',
  });
  const asked: string[] = [];
  const trading = new Proxy<Trading>(venue, {
    get(target, name) {
      asked.push(String(name));
      const value: unknown = Reflect.get(replaced, name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const differences: MarginDifference[] = [];
  const margins = new SymbolMargins(trading, async (difference) => void differences.push(difference));
  const against = { refusal: null as EntryRefusal | null, asked: 0 };
  const prepare = (given: Partial<StoredOrder> = {}) =>
    margins.prepare({ botId: 'b', symbol, purpose: 'entry', leverage: 5, marginMode: 'isolated', ...given } as StoredOrder, async () => {
      against.asked += 1;
      return against.refusal;
    });
  return { venue, asked, differences, against, prepare };
}

test('leverage and margin mode are set and read back before an entry, where the exchange has others', async () => {
  const { venue, asked, prepare } = rig();
  for (let i = 0; i < 3; i++) await prepare();
  expect(asked).toEqual(['marginSettings', ...setAndRead, 'marginSettings', 'marginSettings']);
  expect(await venue.marginSettings(symbol)).toEqual({ leverage: 5, marginMode: 'isolated' });
  await prepare({ leverage: 3 });
  expect(asked).toHaveLength(10);
  expect(await venue.marginSettings(symbol)).toEqual({ leverage: 3, marginMode: 'isolated' });
});

test('of a leverage that is no whole number the exchange is given the whole number below it, also when that stands already', async () => {
  const { venue, asked, differences, prepare } = rig();
  for (let i = 0; i < 2; i++) await prepare({ leverage: 2.9 });
  expect([await venue.marginSettings(symbol), differences]).toEqual([{ leverage: 2, marginMode: 'isolated' }, []]);
  expect(asked.filter((name) => name === 'setLeverage')).toHaveLength(1);
});

test.each([
  { leverage: 20, marginMode: 'isolated' },
  { leverage: 5, marginMode: 'cross' },
] as const)(
  'what a person has set at the exchange since the last entry, $leverage with $marginMode margin, is set again',
  async (since) => {
    const { venue, asked, differences, prepare } = rig();
    await prepare();
    await venue.setMarginMode(symbol, since.marginMode);
    await venue.setLeverage(symbol, since.leverage);
    asked.length = 0;
    await prepare();
    expect(asked).toEqual(['marginSettings', ...setAndRead]);
    expect(await venue.marginSettings(symbol)).toEqual({ leverage: 5, marginMode: 'isolated' });
    expect(differences).toEqual([]);
  },
);

test('nothing is set for an entry that may not be sent: what another bot holds there keeps its liquidation price', async () => {
  const { venue, asked, against, prepare } = rig();
  await venue.setLeverage(symbol, 3);
  against.refusal = { kind: 'opposed', why: 'Another bot holds it.' };
  expect(await prepare()).toEqual(against.refusal);
  expect(asked).toEqual(['marginSettings']);
  expect(await venue.marginSettings(symbol)).toEqual({ leverage: 3, marginMode: 'cross' });
  against.refusal = null;
  expect(await prepare()).toBeNull();
  expect(await venue.marginSettings(symbol)).toEqual({ leverage: 5, marginMode: 'isolated' });
  expect(await prepare()).toBeNull();
  expect(against.asked).toBe(2); // not where nothing has to be set
});

test('exits and orders on spot need nothing', async () => {
  const { asked, prepare } = rig();
  await prepare({ purpose: 'exit' });
  await prepare({ purpose: 'stop' });
  await prepare({ marginMode: null });
  expect(asked).toEqual([]);
});

test.each<[string, Partial<Trading>, string]>([
  ['leverage', { setLeverage: async () => undefined }, 'leverage 1 with isolated margin'],
  ['margin mode', { setMarginMode: async () => undefined }, 'leverage 5 with cross margin'],
])('what the exchange says counts: another %s is a refusal of the entry and is reported, until it agrees', async (_name, replaced, has) => {
  const { venue, differences, prepare } = rig(replaced);
  for (let i = 0; i < 2; i++)
    await expect(prepare()).rejects.toMatchObject({
      kind: 'rejected',
      message: `No entry was sent: ${symbol} needs leverage 5 with isolated margin, and the exchange says that it has ${has}.`,
    });
  expect(differences).toHaveLength(2);
  expect(differences[0]).toMatchObject({ botId: 'b', symbol, wanted: { leverage: 5, marginMode: 'isolated' } });
  await venue.setMarginMode(symbol, 'isolated');
  await venue.setLeverage(symbol, 5);
  await prepare();
  expect(differences).toHaveLength(2);
});

test('after a setting has failed half-way, the next entry sets it again', async () => {
  const failing = { isOn: true };
  const setLeverage = async (...given: [string, number]): Promise<void> => {
    if (failing.isOn) throw new ExchangeError('temporary', 'The exchange is away.');
    await venue.setLeverage(...given);
  };
  const { venue, asked, prepare } = rig({ setLeverage });
  await expect(prepare()).rejects.toMatchObject({ kind: 'temporary' });
  expect(await venue.marginSettings(symbol)).toEqual({ leverage: 1, marginMode: 'isolated' });
  failing.isOn = false;
  asked.length = 0;
  await prepare();
  expect(asked).toEqual(['marginSettings', ...setAndRead]);
  expect(await venue.marginSettings(symbol)).toEqual({ leverage: 5, marginMode: 'isolated' });
});

test('while something is held the exchange changes nothing: that is reported, and the refusal of the entry says it', async () => {
  const refused = new ExchangeError('rejected', 'binanceusdm {"code":-4161,"msg":"Leverage reduction is not supported."}');
  const { venue, differences, prepare } = rig({ setLeverage: async () => await Promise.reject(refused) });
  await venue.setMarginMode(symbol, 'isolated');
  await venue.setLeverage(symbol, 20);
  const message = `No entry was sent: ${symbol} needs leverage 5 with isolated margin, and the exchange says that it has leverage 20 with isolated margin. It does not change that now: "Leverage reduction is not supported." (-4161)`;
  await expect(prepare()).rejects.toMatchObject({ kind: 'rejected', message });
  expect(plainRefusal(message)).toBe(message); // pages show all of it
  expect(differences).toMatchObject([
    { wanted: { leverage: 5 }, actual: { leverage: 20 }, refusal: '"Leverage reduction is not supported." (-4161)' },
  ]);
});

test.each(['before', 'after'] as const)('no entry is sent while the exchange does not say what it has, %s it was set', async (when) => {
  let questions = 0;
  const away = new ExchangeError('temporary', 'The exchange is away.');
  const marginSettings = async (): Promise<MarginSettings> => {
    questions += 1;
    return questions === (when === 'before' ? 1 : 2) ? await Promise.reject(away) : await venue.marginSettings(symbol);
  };
  const { venue, differences, prepare } = rig({ marginSettings });
  await expect(prepare()).rejects.toMatchObject({ kind: 'temporary' });
  expect(differences).toEqual([]);
  await prepare();
});
