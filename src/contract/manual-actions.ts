import { z } from 'zod';
import { otherMode } from './bots.ts';
import { joinTexts, needsBot, texts } from './errors.ts';
import { botModes, finite, id, oneOf, requiredText, stakeAmount, unlessWrongType } from './fields.ts';
import { manualAction, tradeNotFound, tradeNotOpen } from './manual-action.ts';
import { defineRoute } from './route.ts';

/** The refusal of a second request while one of the same pair has not ended. */
export const anotherWaits = 'Another order by hand of this pair has not ended yet. Wait a moment.';

/** The refusal of a pair that the bot does not trade. */
export const pairOfOthers = 'The bot does not trade this pair';

/** The refusal of a short on spot, or by a strategy that never sells short. */
export const cannotShort = 'This bot cannot sell short';

const price = z
  .number({ error: unlessWrongType('number', 'Stop price must be positive') })
  .gt(0, { error: 'Stop price must be positive', abort: true })
  .lte(1e12, { error: texts.invalidRequest, abort: true });

const asked = z.object({ action_id: z.string(), expires_in_ms: finite }); // it is not begun any later

/** What may be answered to what is asked of one of the trades of a bot. The password is asked about for live trades only. */
const ofTrade = {
  403: [texts.noAccessToBot, texts.passwordNeeded, texts.noRiskAfterReset],
  404: [tradeNotFound],
  409: [tradeNotOpen, anotherWaits],
} as const;

/** The same for what puts more at risk. */
const ofTradeAtMore = { ...ofTrade, 403: [...ofTrade[403], texts.notVerified] };

/** Calls by which people trade by hand. The bot does it within a second or two, once, or says why not. */
export const manualActionRoutes = {
  enterByHand: defineRoute({
    id: 'ADD-enter-by-hand',
    method: 'POST',
    path: '/bots/{id}/enter',
    summary:
      'Asks a bot to open a trade at market with this stake; limits, slots and the kill switch hold as for its own entries. With the version of its settings in If-Match it is refused where they are others by now.',
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    body: z.strictObject({
      symbol: requiredText('Trading pair is required'),
      direction: oneOf(['long', 'short'], 'Invalid direction'),
      stake: stakeAmount,
      stop_price: price.nullable(), // null: where the settings of the bot put it
      mode: oneOf(botModes, 'Mode must be paper or live').optional(), // of the bot that the caller has seen: in another one nothing is entered
    }),
    reply: asked,
    errors: joinTexts(needsBot, {
      400: [
        'Trading pair is required',
        'Invalid direction',
        'Stake amount must be positive',
        'Stop price must be positive',
        'Mode must be paper or live',
        pairOfOthers,
        cannotShort,
      ],
      403: [texts.notVerified, texts.passwordNeeded, texts.noRiskAfterReset],
      409: [anotherWaits, texts.botArchived, otherMode, texts.changedMeanwhile],
    }),
  }),
  addToTrade: defineRoute({
    id: 'ADD-add-to-trade',
    method: 'POST',
    path: '/trades/{id}/add',
    summary: 'Asks for an open trade to be made larger at market by this stake.',
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    body: z.strictObject({ stake: stakeAmount }),
    reply: asked,
    errors: { 400: ['Stake amount must be positive'], ...ofTradeAtMore },
  }),
  takeOutOfTrade: defineRoute({
    id: 'ADD-take-out',
    method: 'POST',
    path: '/trades/{id}/take-out',
    summary: 'Asks for a part of an open trade to be closed at market; the rest keeps its stop.',
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    body: z.strictObject({
      share: z
        .number({ error: unlessWrongType('number', 'The part must be between 0 and 100 %') })
        .gt(0, { error: 'The part must be between 0 and 100 %', abort: true })
        .lt(1, { error: 'The part must be between 0 and 100 %', abort: true }),
    }),
    reply: asked,
    errors: { 400: ['The part must be between 0 and 100 %'], ...ofTrade },
  }),
  moveStop: defineRoute({
    id: 'ADD-move-stop',
    method: 'POST',
    path: '/trades/{id}/stop',
    summary: 'Asks for the stop of an open trade to be put at this price, where nothing else moves it; null lets the bot move it again.',
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    body: z.strictObject({ price: price.nullable() }),
    reply: asked,
    errors: { 400: ['Stop price must be positive'], ...ofTradeAtMore },
  }),
  manualActions: defineRoute({
    id: 'ADD-manual-actions',
    method: 'GET',
    path: '/bots/{id}/manual-actions',
    summary: 'What people have asked a bot to do by hand and what came of it; the newest hundred.',
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    reply: z.object({ actions: z.array(manualAction) }), // newest first
    errors: needsBot,
  }),
} as const;
