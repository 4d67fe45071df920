import { expect, test } from 'vitest';
import { defaultExchanges } from './default-exchanges.ts';
import { exchangeListing } from './supported.ts';

test('the exchanges offered are those of ccxt, under the names it gives them', () => {
  for (const exchange of defaultExchanges) expect(exchangeListing(exchange.id)).toEqual(exchange);
});
