import type { MarginSettings, Position } from '#engine/ports/trading.ts';
import type { AccountClient } from './account-client.ts';
import { numberOf, type Row, rowsOf, textOf } from './rows/answer-row.ts';

/** The positions of a USD-M account that are not flat. Leverage and margin mode stand in a list of their own. */
export async function readPositions(account: AccountClient): Promise<Position[]> {
  const rows = rowsOf(await account.ccxt.fapiPrivateV3GetPositionRisk({}));
  const held = rows.filter((row) => numberOf(row, 'positionAmt') !== 0);
  if (held.length === 0) return [];
  const settings = new Map(rowsOf(await account.ccxt.fapiPrivateGetSymbolConfig({})).map((row) => [textOf(row, 'symbol'), row]));
  return held.map((row) => {
    const id = textOf(row, 'symbol');
    const setting = settings.get(id);
    if (setting === undefined) throw new Error(`the leverage of ${id} is missing`);
    return toPosition(row, setting, account.symbolOf(id));
  });
}

/** The leverage and margin mode of one instrument, by the exchange's id. Fails: Error when the answer is not about it */
export async function readMarginSettings(account: AccountClient, id: string): Promise<MarginSettings> {
  const rows = rowsOf(await account.ccxt.fapiPrivateGetSymbolConfig({ symbol: id }));
  const setting = rows.find((row) => textOf(row, 'symbol') === id);
  if (setting === undefined) throw new Error(`the leverage of ${id} is missing`);
  return toMarginSettings(setting);
}

function toMarginSettings(setting: Row): MarginSettings {
  const mode = textOf(setting, 'marginType');
  if (mode !== 'ISOLATED' && mode !== 'CROSSED') throw new Error(`the margin mode ${mode} is not known`);
  return { leverage: numberOf(setting, 'leverage'), marginMode: mode === 'ISOLATED' ? 'isolated' : 'cross' };
}

function toPosition(row: Row, setting: Row, symbol: string): Position {
  const amount = numberOf(row, 'positionAmt');
  const side = row['positionSide'];
  const isLong = side === 'LONG' || (side !== 'SHORT' && amount > 0);
  return {
    symbol,
    direction: isLong ? 'long' : 'short',
    amount: Math.abs(amount),
    entryPrice: numberOf(row, 'entryPrice'),
    ...toMarginSettings(setting),
  };
}
