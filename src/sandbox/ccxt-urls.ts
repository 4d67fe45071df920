/** The table of addresses that ccxt takes as `urls.test`: every section leads to the sandbox, none to a real exchange. */
export type CcxtUrls = { [section: string]: string | CcxtUrls };

/** The `urls.test` table of binance and binanceusdm for a sandbox on this host and port. */
export function ccxtUrls(host: string): CcxtUrls {
  const http = `http://${host}`;
  const ws = `ws://${host}`;
  return {
    public: `${http}/api/v3`,
    private: `${http}/api/v3`,
    v1: `${http}/api/v1`,
    sapi: `${http}/sapi/v1`,
    sapiV2: `${http}/sapi/v2`,
    sapiV3: `${http}/sapi/v3`,
    sapiV4: `${http}/sapi/v4`,
    fapiPublic: `${http}/fapi/v1`,
    fapiPublicV2: `${http}/fapi/v2`,
    fapiPublicV3: `${http}/fapi/v3`,
    fapiPrivate: `${http}/fapi/v1`,
    fapiPrivateV2: `${http}/fapi/v2`,
    fapiPrivateV3: `${http}/fapi/v3`,
    fapiData: `${http}/futures/data`,
    dapiPublic: `${http}/dapi/v1`,
    dapiPrivate: `${http}/dapi/v1`,
    dapiPrivateV2: `${http}/dapi/v2`,
    dapiData: `${http}/dapi/data`,
    eapiPublic: `${http}/eapi/v1`,
    eapiPrivate: `${http}/eapi/v1`,
    papi: `${http}/papi/v1`,
    papiV2: `${http}/papi/v2`,
    ws: {
      spot: `${ws}/stream/ws`,
      margin: `${ws}/stream/ws`,
      future: `${ws}/ws`,
      delivery: `${ws}/delivery/ws`,
      stock: `${ws}/stock/ws`,
      option: `${ws}/option/public/ws`,
      optionMarket: `${ws}/option/market/ws`,
      optionPrivate: `${ws}/option/private/ws`,
      papi: `${ws}/pm/ws`,
      'ws-api': { spot: `${ws}/ws-api/v3`, future: `${ws}/ws-fapi/v1`, delivery: `${ws}/ws-dapi/v1` },
    },
  };
}
