defmodule Courier.Rates do
  @moduledoc """
  What a parcel costs, by zone and weight.

  Rates come from a table that is read when the application starts:

      iex> Courier.Rates.quote(:home, 500)
      {:ok, 450}

  """

  alias Courier.Parcel
  alias Courier.Table

  require Logger

  @zones [:home, :near, :far]
  @max_weight 30_000

  @type zone :: :home | :near | :far

  @doc "The price of a parcel in cents."
  @spec quote(zone, pos_integer) :: {:ok, pos_integer} | {:error, atom}
  def quote(zone, weight) when zone in @zones and weight <= @max_weight do
    case Table.lookup(zone, weight) do
      nil -> {:error, :no_rate}
      cents -> {:ok, cents}
    end
  end

  def quote(zone, _weight) when zone in @zones, do: {:error, :too_heavy}
  def quote(_zone, _weight), do: {:error, :unknown_zone}

  @doc "The price of a parcel with all its extras."
  def total(%Parcel{} = parcel) do
    with {:ok, base} <- quote(parcel.zone, parcel.weight) do
      {:ok, base + surcharge(parcel)}
    end
  end

  defp surcharge(%Parcel{insured: true, value: value}) do
    max(100, div(value, 100))
  end

  defp surcharge(%Parcel{express: true}), do: 600
  defp surcharge(%Parcel{}), do: 0

  @doc "Logs a parcel that nobody could price."
  def report({:error, reason}, %Parcel{id: id}) do
    Logger.warning("no price for #{id}: #{reason}")
    :error
  end

  def report({:ok, cents}, %Parcel{}), do: cents
end
