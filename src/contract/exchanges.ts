import { marketTypes } from '#engine/market/instrument.ts';
import { z } from 'zod';
import { asksExchange, joinTexts } from './errors.ts';
import { oneOf, shortText } from './fields.ts';
import { defineRoute } from './route.ts';

const marketType = oneOf(marketTypes, 'Market type is required');
const needsExchange = joinTexts(asksExchange, { 400: ['Market type is required'], 404: ['Exchange not found'] });

/** Calls about exchanges and what can be traded there. */
export const exchangeRoutes = {
  listExchanges: defineRoute({
    id: 'API-28',
    method: 'GET',
    path: '/exchanges',
    summary: 'Exchanges the server offers.',
    access: { who: 'all' },
    reply: z.object({ exchanges: z.array(z.object({ id: z.string(), name: z.string() })) }),
    errors: {},
  }),
  stakeCurrencies: defineRoute({
    id: 'API-29',
    method: 'GET',
    path: '/exchanges/{exchange}/stake_currencies',
    summary: 'Currencies trades can be paid in.',
    access: { who: 'all' },
    params: z.object({ exchange: shortText(500) }),
    query: z.object({ market_type: marketType }),
    reply: z.object({ stake_currencies: z.array(z.string()) }),
    errors: needsExchange,
  }),
  tradingPairs: defineRoute({
    id: 'API-30',
    method: 'GET',
    path: '/exchanges/{exchange}/trading_pairs',
    summary: 'Symbols that can be traded.',
    access: { who: 'all' },
    params: z.object({ exchange: shortText(500) }),
    query: z.object({ market_type: marketType, stake_currency: shortText(200).optional() }),
    reply: z.object({ trading_pairs: z.array(z.string()) }),
    errors: needsExchange,
  }),
} as const;
