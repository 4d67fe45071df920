/** Gives the person a file made on this page, as a download. */
export function saveFile(name: string, type: string, content: string | Blob): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the file after the click; a minute is long enough for any.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
