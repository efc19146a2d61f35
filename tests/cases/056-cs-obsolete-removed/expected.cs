using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.Extensions.Logging;

namespace Depot.Parcels;

/// <summary>Finds a locker for each parcel and opens it for who may.</summary>
public sealed class LockerService
{
    private readonly ILockerStore _store;
    private readonly ILogger<LockerService> _logger;
    private readonly TimeProvider _clock;

    public LockerService(ILockerStore store, ILogger<LockerService> logger, TimeProvider clock)
    {
        _store = store;
        _logger = logger;
        _clock = clock;
    }

    /// <summary>Puts a parcel into the smallest free locker that holds it.</summary>
    public Locker Assign(Parcel parcel)
    {
        var locker = _store.Free()
            .Where(l => l.Holds(parcel.Size))
            .OrderBy(l => l.Size)
            .FirstOrDefault();

        if (locker is null)
        {
            _logger.LogWarning("No locker for {Parcel}", parcel.Id);
            throw new NoLockerException(parcel.Id);
        }

        locker.Assign(parcel, _clock.GetUtcNow());
        _store.Save(locker);
        return locker;
    }

    /// <summary>Opens the locker that the code is for.</summary>
    public bool Open(string code)
    {
        var locker = _store.ByCode(code);
        if (locker is null)
        {
            _logger.LogWarning("Unknown code {Code}", Mask(code));
            return false;
        }

        locker.Open(_clock.GetUtcNow());
        _store.Save(locker);
        return true;
    }

    /// <summary>Empties the lockers whose parcels nobody collected.</summary>
    public IReadOnlyList<Parcel> CollectExpired(TimeSpan limit)
    {
        var now = _clock.GetUtcNow();
        var expired = _store.Taken().Where(l => now - l.Since > limit).ToList();
        var parcels = expired.Select(l => l.Empty(now)).ToList();
        foreach (var locker in expired)
        {
            _store.Save(locker);
        }

        return parcels;
    }

    private static string Mask(string code) => new string('*', code.Length - 2) + code[^2..];
}
