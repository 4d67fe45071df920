/** The refusal of a strategy where it cannot run, or must not. */
export const cannotRunHere = 'The strategy cannot run here: {fault}';

/** Texts every call may answer. */
export const texts = {
  invalidRequest: 'Invalid request',
  originNotAllowed: 'Origin not allowed',
  notFound: 'Not found',
  tooManyRequests: 'Too many requests. Please try again later.',
  general: 'Something went wrong. Please try again.',
  notAuthenticated: 'Not authenticated',
  adminRequired: 'Admin access required',
  noAccessToBot: 'You do not have access to this bot',
  botNotFound: 'Bot not found',
  botArchived: 'This bot is archived. Bring it back before you change it.',
  keyRequired: 'API key and secret are required for live mode',
  notVerified: 'Account is not verified',
  undurableStore: 'Live trading needs a database that keeps what it has acknowledged. Ask the operator to run flotilla doctor.',
  liveDisabled: 'Live trading is disabled on this server',
  exchangeUnreachable: 'Exchange is not reachable. Please try again.',
  tooManyAttempts: 'Too many attempts. Please try again later.',
  passwordNeeded: 'Enter your current password to continue.',
  wrongPassword: 'Current password is wrong',
  changedMeanwhile: 'Somebody else has changed this meanwhile. Reload to see it.',
  mailFailed: 'Email could not be sent. Please try again.',
  noChangesAfterReset: 'For 24 hours after a password reset no roles, invitations or settings of the installation can be changed.',
  noRiskAfterReset:
    'For 24 hours after a password reset live bots take no entries by hand, no further pairs and no higher limits, and their settings can only be made safer.',
} as const;

/** The texts a call may answer, by HTTP status. */
export type ErrorTexts = Readonly<Partial<Record<400 | 401 | 403 | 404 | 409 | 429 | 500 | 502 | 503, readonly string[]>>>;

/** Texts of every call. */
export const general: ErrorTexts = {
  400: [texts.invalidRequest],
  403: [texts.originNotAllowed],
  404: [texts.notFound],
  429: [texts.tooManyRequests],
  500: [texts.general],
};

/** Texts of every call that needs a session. */
export const needsSession: ErrorTexts = { 401: [texts.notAuthenticated] };

/** Texts of every call that needs the role admin. */
export const needsAdmin: ErrorTexts = { 403: [texts.adminRequired] };

/** Texts of every call about one bot. */
export const needsBot: ErrorTexts = { 403: [texts.noAccessToBot], 404: [texts.botNotFound] };

/** Texts of every call that may set a bot to live or active. */
export const mayGoLive: ErrorTexts = {
  400: [texts.keyRequired, cannotRunHere],
  403: [texts.notVerified, texts.liveDisabled, texts.undurableStore],
};

/** Texts of every call that gives a strategy other candles or another market: not every one can run everywhere. */
export const mayNotRun = {
  400: ['The rules cannot run here: {fault}', cannotRunHere, 'This version of Flotilla cannot run the strategy'],
} as const;

/** Texts of every call that asks an exchange. */
export const asksExchange: ErrorTexts = { 502: [texts.exchangeUnreachable] };

/** One table of texts out of several. */
export function joinTexts(...tables: readonly ErrorTexts[]): ErrorTexts {
  const joined: Record<string, string[]> = {};
  for (const table of tables) {
    for (const [status, lines] of Object.entries(table)) joined[status] = [...new Set([...(joined[status] ?? []), ...(lines ?? [])])];
  }
  return joined;
}
