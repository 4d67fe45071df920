/** Where the product under test listens. Runs beside each other need a port each. */
export const port = Number(process.env['E2E_PORT'] ?? 3917);
