import type { Market } from 'ccxt';
import type { CcxtClient, CcxtSocket } from '../ccxt-client.ts';

/** Calls of Binance's two markets by ccxt's own names; the answer comes as the exchange has sent it. */
type AccountCall =
  | 'privateGetAccount'
  | 'privateGetOrder'
  | 'privateGetOpenOrders'
  | 'privateGetAllOrders'
  | 'privateGetMyTrades'
  | 'privatePostOrder'
  | 'privateDeleteOrder'
  | 'fapiPrivateGetOrder'
  | 'fapiPrivateGetOpenOrders'
  | 'fapiPrivateGetAllOrders'
  | 'fapiPrivateGetUserTrades'
  | 'fapiPrivateGetIncome'
  | 'fapiPrivateGetAlgoOrder'
  | 'fapiPrivateGetOpenAlgoOrders'
  | 'fapiPrivateGetAllAlgoOrders'
  | 'fapiPrivateGetSymbolConfig'
  | 'fapiPrivateV3GetAccount'
  | 'fapiPrivateV3GetPositionRisk'
  | 'fapiPrivatePostOrder'
  | 'fapiPrivatePostAlgoOrder'
  | 'fapiPrivatePostLeverage'
  | 'fapiPrivatePostMarginType'
  | 'fapiPrivatePostListenKey'
  | 'fapiPrivatePutListenKey'
  | 'fapiPrivateDeleteOrder'
  | 'fapiPrivateDeleteAlgoOrder';

/** A client of ccxt as the holder of an account uses it. */
export type AccountCcxt = Omit<CcxtClient, 'client'> &
  Record<AccountCall, (parameters: object) => Promise<unknown>> & {
    nonce(): number;
    sign(path: string, api: unknown, method: string, params: object, headers: unknown, body: unknown): unknown;
    handleErrors(status: number, reason: string, ...rest: unknown[]): unknown;
    amountToPrecision(symbol: string, amount: number): string;
    priceToPrecision(symbol: string, price: number): string;
    getPrivateWsUrl(type: string, listenKey: string): string;
    ensureUserDataStreamWsSubscribeSignature(marketType: string): Promise<void>;
    client(url: string): CcxtSocket & { connect(): Promise<unknown> };
  };

/** An instrument as ccxt knows it, and as the exchange has described it. */
export type AccountMarket = NonNullable<Market> & { id: string; symbol: string; info: { orderTypes?: readonly string[] } };
