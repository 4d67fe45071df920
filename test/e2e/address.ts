/** Where the product under test listens. Runs beside each other need a port each. */
export const port = Number(process.env['E2E_PORT'] ?? 3917);

/** For products of their own that a test starts beside it. */
export const secondPort = port + 4;
export const thirdPort = port + 10;
