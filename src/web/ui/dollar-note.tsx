/** Said below sums that leave amounts out, because there is no price by which they could be added. */
export function DollarNote({ isNeeded }: { isNeeded: boolean }) {
  return isNeeded ? <p className="fl-dollar-note">Amounts in other currencies than dollars are not added.</p> : null;
}
