/** Why nothing was imported: one sentence. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
}
