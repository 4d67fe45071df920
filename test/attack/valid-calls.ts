import type { CallInput } from '#contract/client.ts';
import type { RouteName } from '#contract/routes.ts';
import { password } from '../support/test-server.ts';
import type { Belongings } from './callers.ts';

/** What a call is given that is about somebody's things. */
export interface About extends Belongings {
  email: string;
  strategy: string;
}

const newPassword = 'a new password of mine';
const day = '2026-01-01';
const backtest = {
  exchange: 'Sandbox',
  symbol: 'BTC/USDT',
  trading_mode: 'spot',
  timeframe: '1h',
  days: 7,
  stake_amount: 100,
  max_open_trades: 1,
} as const;

/** A valid input for every call of the contract; a call without one does not compile. */
export const validCalls: { [Name in RouteName]: (about: About) => CallInput<Name> } = {
  getMe: () => ({}),
  login: ({ email }) => ({ body: { email, password: 'not the password' } }),
  register: () => ({ body: { email: 'register@attack.example', password: newPassword, confirmPassword: 'another one' } }),
  logout: () => ({}),
  updatePassword: () => ({ body: { password: newPassword, currentPassword: password } }),
  forgotPassword: ({ email }) => ({ body: { email } }),
  resetPassword: ({ email }) => ({ body: { email, code: 'none', password: newPassword, confirmPassword: newPassword } }),
  verifyEmail: ({ email }) => ({ body: { email, code: 'none' } }),
  resendVerification: ({ email }) => ({ body: { email } }),
  resendTwoFactor: ({ email }) => ({ body: { email } }),
  setUpTwoFactor: ({ user }) => ({ params: { id: user } }),
  verifyTwoFactor: ({ user }) => ({ params: { id: user }, body: { code: '------' } }),
  listSessions: () => ({}),
  endOwnSession: ({ session }) => ({ params: { id: session } }),
  endOtherSessions: () => ({}),
  refreshSession: () => ({}),
  listAudit: () => ({ query: {} }),
  checkAudit: () => ({}),
  systemStatus: () => ({}),
  liveStatus: () => ({ query: { fleet: 'true', history: 'true' } }),
  chartCandles: ({ bot }) => ({ query: { bot_id: bot, symbol: 'BTC/USDT' } }),
  chartOverlays: ({ bot }) => ({ query: { bot_id: bot, symbol: 'BTC/USDT' } }),
  availableBots: () => ({}),
  availablePairs: ({ bot }) => ({ query: { bot_id: bot } }),
  orderMetrics: ({ bot }) => ({ query: { bot_id: bot, symbol: 'BTC/USDT' } }),
  pnlMetrics: ({ bot }) => ({ query: { bot_id: bot, symbol: 'BTC/USDT', range: 'daily' } }),
  getSetting: () => ({ params: { key: 'server_config' } }),
  listUsers: () => ({}),
  verifyUser: ({ user }) => ({ params: { id: user }, body: { verified: true, email_verified: false } }),
  changeRole: ({ user }) => ({ params: { id: user }, body: { role: 'investor' } }),
  listStrategies: () => ({}),
  updateStrategy: ({ strategy }) => ({ params: { id: strategy }, body: { stoploss: -0.1 } }),
  strategyPerformance: ({ strategy }) => ({ params: { id: strategy } }),
  strategyBots: ({ strategy }) => ({ params: { id: strategy } }),
  listExchanges: () => ({}),
  stakeCurrencies: () => ({ params: { exchange: 'sandbox' }, query: { market_type: 'spot' } }),
  tradingPairs: () => ({ params: { exchange: 'sandbox' }, query: { market_type: 'spot' } }),
  listBots: () => ({}),
  getBot: ({ bot }) => ({ params: { id: bot } }),
  createBot: ({ strategy, email }) => ({
    body: {
      strategy_id: strategy,
      exchange_id: 'sandbox',
      margin_mode: 'spot',
      stake_currency: 'USDT',
      stake_amount: 100,
      max_open_trades: 1,
      leverage: 1,
      trading_pairs: ['BTC/USDT'],
      user_email: email,
      mode: 'paper',
      leverage_mode: 'isolated',
    },
  }),
  updateBot: ({ bot }) => ({ params: { id: bot }, body: { stake_amount: 50 } }),
  toggleBot: ({ bot }) => ({ params: { id: bot }, query: { status: 'stopped' } }),
  changeBotMode: ({ bot }) => ({ params: { id: bot }, query: { mode: 'paper' } }),
  botTrades: ({ bot }) => ({ params: { id: bot } }),
  botPnl: ({ bot }) => ({ params: { id: bot } }),
  setBotStatus: ({ bot }) => ({ params: { id: bot }, body: { status: 'stopped' } }),
  backtestStrategy: ({ strategy }) => ({ params: { id: strategy }, body: { ...backtest, symbol: 'NONE/USDT' } }),
  runBacktest: ({ strategy }) => ({ body: { ...backtest, symbol: 'NONE/USDT', strategy_id: strategy } }),
  cancelBacktest: ({ backtest: id }) => ({ params: { id } }),
  backtestResults: ({ backtest: id }) => ({ query: { id } }),
  fundOverview: () => ({}),
  investorSummary: ({ user }) => ({ query: { trader_id: user } }),
  listApiKeys: () => ({}),
  newSandboxKey: () => ({}),
  testApiKey: ({ apiKey }) => ({ params: { id: apiKey } }),
  deleteApiKey: ({ apiKey }) => ({ params: { id: apiKey } }),
  addApiKey: ({ bot }) => ({ body: { exchange_id: 'sandbox', key: 'a key', secret: 'a secret', bot_id: bot } }),
  listTrades: () => ({ query: {} }),
  addTradeNote: ({ strategy }) => ({ params: { id: strategy }, body: { note: 'a note' } }),
  report: () => ({ params: { id: day } }),
  reportPdf: () => ({ params: { id: day } }),
};
