import { formatMoney } from './money';

export interface Line {
  sku: string;
  quantity: number;
  cents: number;
}

export class Cart {
  private lines: Line[] = [];

  add(line: Line): void {
    const known = this.lines.find((other) => other.sku === line.sku);
    if (known) {
      known.quantity += line.quantity;
      return;
    }
    this.lines.push(line);
  }

  remove(sku: string): void {
    const known = this.lines.find((other) => other.sku === sku);
    if (!known) {
      return;
    }
    this.lines = this.lines.filter((other) => other !== known);
  }

  total(): number {
    return this.lines.reduce((sum, line) => sum + line.quantity * line.cents, 0);
  }

  label(): string {
    return `${this.lines.length} items, ${formatMoney(this.total())}`;
  }
}
