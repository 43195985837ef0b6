export enum Shape {
  Round = "round",
  Flat = "flat",
}
